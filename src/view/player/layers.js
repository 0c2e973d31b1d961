// What a plan has beyond motion: who keeps which cell from when to when, waits, closures. All of it lies in typed arrays;
// what is reserved in the window is found once per tick, not in each frame.

const isPlan = data.kind === 'plan';
const tickAt = t => Math.floor(t + 1e-6);
const topOf = row => data.isRow0Below ? data.height - 1 - row : row;
const spanText = (from, to) => to === from ? `${from}` : `${from}–${to === Infinity ? '∞' : to}`;

// Steps from one stay to the next, equal ones with their number: see track_stays.c.
function unpackStays(visit) {
  data.stays.forEach((code, robot) => {
    const steps = decode(code);
    let from = 0, column = 0, row = 0;
    for (let at = 0; at < steps.length; at += 5) {
      for (let i = 0; i < steps[at]; i++) {
        from += steps[at + 1];
        column += steps[at + 3];
        row += steps[at + 4];
        visit(robot, from, from + steps[at + 2], column, row);
      }
    }
  });
}

// All stays in the order in which they begin: a counting sort by tick. `first[t]` is the first that begins at t or later.
const stays = (() => {
  const first = new Int32Array(isPlan ? data.end + 3 : 2);
  if (isPlan) unpackStays((robot, from) => { first[from + 2]++; });
  for (let t = 1; t < first.length; t++) first[t] += first[t - 1];
  const count = first[first.length - 1], array = () => new Int32Array(count);
  const list = {count, first, robots: array(), from: array(), to: array(), xs: array(), ys: array(), cells: array()};
  const numbers = new Map();  // of the cells that anybody covers, so that arrays by cell are no larger than need be
  if (isPlan) unpackStays((robot, from, to, column, row) => {
    const at = first[from + 1]++, cell = row * data.width + column;
    if (!numbers.has(cell)) numbers.set(cell, numbers.size);
    list.robots[at] = robot;
    list.from[at] = from;
    list.to[at] = to;
    list.xs[at] = column;
    list.ys[at] = topOf(row);
    list.cells[at] = numbers.get(cell);
  });
  list.cellCount = numbers.size;
  list.texts = new Array(count);  // of the ticks, each made when it is first drawn
  return list;
})();

// The stays of the window that begins at `tick`, in time order. Those of one cell share it: `slots` says which place a
// stay has there, `shares` of how many.
const booked = {
  tick: -1, window: -1, count: 0, items: new Int32Array(stays.count), slots: new Uint16Array(stays.count),
  shares: new Uint16Array(stays.count), used: new Uint16Array(stays.cellCount),
};

function findBooked(tick, ahead) {
  if (booked.tick === tick && booked.window === ahead) return;
  const {items, slots, shares, used} = booked, behind = stays.first[Math.min(data.end, tick + ahead) + 1];
  let count = 0;
  for (let i = 0; i < behind; i++) if (stays.to[i] >= tick) items[count++] = i;
  for (let k = 0; k < count; k++) slots[k] = used[stays.cells[items[k]]]++;
  for (let k = 0; k < count; k++) shares[k] = used[stays.cells[items[k]]];
  for (let k = 0; k < count; k++) used[stays.cells[items[k]]] = 0;
  Object.assign(booked, {tick, window: ahead, count});
}

// ---- waits: a robot that stands away from its goal from tick `from` to tick `to`

const waits = tracks.map((track, robot) => {
  const numbers = isPlan ? decode(data.waits[robot]) : [], count = numbers.length / 2;
  const list = {
    from: new Int32Array(count), to: new Int32Array(count), xs: new Float32Array(count), ys: new Float32Array(count),
  };
  const place = {x: 0, y: 0, yaw: 0};
  for (let i = 0, t = 0; i < count; i++) {
    list.from[i] = t += numbers[2 * i];
    list.to[i] = t += numbers[2 * i + 1];
    poseAt(track, list.from[i], place);
    list.xs[i] = place.x;
    list.ys[i] = place.y;
  }
  return list;
});

// Index of the wait in which a robot is, -1 if it does not wait.
function waitAt(robot, t) {
  const i = lastNotAbove(waits[robot].from, tickAt(t));
  return i >= 0 && tickAt(t) < waits[robot].to[i] ? i : -1;
}

// How many wait, and how many are on their goals, at each tick.
const waiting = new Int32Array(isPlan ? data.end + 2 : 0), onGoal = new Int32Array(isPlan ? data.end + 2 : 0);

(function countStates() {
  if (!isPlan) return;
  for (const {from, to} of waits) {
    for (let i = 0; i < from.length; i++) {
      waiting[from[i]]++;
      waiting[to[i]]--;
    }
  }
  for (let t = 1; t <= data.end; t++) waiting[t] += waiting[t - 1];
  const place = {x: 0, y: 0, yaw: 0};
  for (const track of tracks) {
    const x = track.goals.xs[0], y = track.goals.ys[0];
    const isThere = i => track.xs[i] === x && track.ys[i] === y;
    for (let i = 0; i < track.times.length; i++) {
      const last = i + 1 === track.times.length, behind = last ? data.end + 1 : track.times[i + 1];
      const isStill = last || (track.xs[i] === track.xs[i + 1] && track.ys[i] === track.ys[i + 1]);
      if (isStill && !isThere(i)) continue;
      for (let t = track.times[i]; t < behind; t++) {
        poseAt(track, t, place);
        if (Math.abs(place.x - x) < 1e-3 && Math.abs(place.y - y) < 1e-3) onGoal[t]++;
      }
    }
  }
})();

// ---- closures, and shapes of robots that cover more than their own cell

const closures = (() => {
  const numbers = isPlan ? decode(data.closures) : [], list = [];
  for (let i = 0; i < numbers.length; i += 4) {
    const from = numbers[i + 2], to = numbers[i + 3] > 0 ? from + numbers[i + 3] - 1 : Infinity;
    list.push({x: numbers[i], y: topOf(numbers[i + 1]), from, to, text: spanText(from, to)});
  }
  return list;
})();

const shapes = isPlan ? data.shapes.map(decode) : [];
const hasShapes = shapes.some(shape => shape.length > 2);
