// What a plan has beyond motion: who keeps which cell from when to when, waits, closures, shapes. All of it lies in typed
// arrays; what is reserved in the window is found once per tick, not in each frame.

const tickAt = t => Math.floor(t + 1e-6);
// A plan that has ended stays as it is while the one beside it goes on.
const sceneTick = t => Math.min(tickAt(t), scene.end);
const topOf = row => data.isRow0Below ? data.height - 1 - row : row;
const spanText = (from, to) => to === from ? `${from}` : `${from}–${to === Infinity ? '∞' : to}`;

// Steps from one stay to the next, equal ones with their number: see track_stays.c.
function unpackStays(codes, visit) {
  codes.forEach((code, robot) => {
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
function decodeStays({source, end: last}) {
  const codes = source.stays || [], first = new Int32Array(last + 3);
  unpackStays(codes, (robot, from) => { first[from + 2]++; });
  for (let t = 1; t < first.length; t++) first[t] += first[t - 1];
  const count = first[first.length - 1], array = () => new Int32Array(count);
  const list = {count, first, robots: array(), from: array(), to: array(), xs: array(), ys: array(), cells: array()};
  const numbers = new Map();  // of the cells that anybody covers, so that arrays by cell are no larger than need be
  unpackStays(codes, (robot, from, to, column, row) => {
    const at = first[from + 1]++, cell = row * data.width + column;
    if (!numbers.has(cell)) numbers.set(cell, numbers.size);
    list.robots[at] = robot;
    list.from[at] = from;
    list.to[at] = to;
    list.xs[at] = column;
    list.ys[at] = topOf(row);
    list.cells[at] = numbers.get(cell);
  });
  list.numbers = numbers;
  list.texts = new Array(count);  // of the ticks, each made when it is first drawn
  return list;
}

// The stays of the window that begins at `tick`, in time order. Those of one cell share it: `slots` says which place a
// stay has there, `shares` of how many.
function findBooked(tick, ahead) {
  const {stays, booked} = scene;
  if (booked.tick === tick && booked.window === ahead) return;
  const {items, slots, shares, used} = booked, behind = stays.first[Math.min(scene.end, tick + ahead) + 1];
  let count = 0;
  for (let i = 0; i < behind; i++) if (stays.to[i] >= tick) items[count++] = i;
  for (let k = 0; k < count; k++) slots[k] = used[stays.cells[items[k]]]++;
  for (let k = 0; k < count; k++) shares[k] = used[stays.cells[items[k]]];
  for (let k = 0; k < count; k++) used[stays.cells[items[k]]] = 0;
  Object.assign(booked, {tick, window: ahead, count});
}

// ---- waits: a robot that stands away from its goal from tick `from` to tick `to`

function decodeWaits(code, track) {
  const numbers = decode(code), count = numbers.length / 2;
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
}

// Index of the wait in which a robot is, -1 if it does not wait.
function waitAt(robot, t) {
  const list = scene.waits[robot], i = lastNotAbove(list.from, sceneTick(t));
  return i >= 0 && sceneTick(t) < list.to[i] ? i : -1;
}

// For whom a robot waits: of those who are where it goes next, while it waits, the last. Also -1 for a closure, null if
// nobody is there: it then makes room for somebody who comes by.
function blockerOf(robot, index) {
  const {stays, closures} = scene, from = scene.waits[robot].from[index], to = scene.waits[robot].to[index];
  const known = scene.blockers[robot];
  if (known && known.from === from) return known.blocker;
  const next = new Set();
  for (let i = stays.first[from + 1], begin = Infinity; i < stays.count && stays.from[i] <= begin; i++) {
    if (stays.robots[i] !== robot) continue;
    begin = stays.from[i];
    next.add(stays.cells[i]);
  }
  let blocker = null, last = from - 1;
  for (let i = 0; i < stays.first[Math.min(scene.end, to) + 1]; i++) {
    if (stays.robots[i] === robot || stays.to[i] <= last || !next.has(stays.cells[i])) continue;
    last = stays.to[i];
    blocker = stays.robots[i];
  }
  for (const closure of blocker === null ? closures : []) {
    const cell = stays.numbers.get(topOf(closure.y) * data.width + closure.x);
    if (next.has(cell) && closure.from <= to && closure.to >= from) blocker = -1;
  }
  scene.blockers[robot] = {from, blocker};
  return blocker;
}

// How many wait, and how many are on their goals, at each tick; and how many ticks are waited in all.
function countStates(one) {
  one.waiting = new Int32Array(one.end + 2);
  one.onGoal = new Int32Array(one.end + 2);
  one.waited = 0;
  for (const {from, to} of one.waits) {
    for (let i = 0; i < from.length; i++) {
      one.waiting[from[i]]++;
      one.waiting[to[i]]--;
      one.waited += to[i] - from[i];
    }
  }
  for (let t = 1; t <= one.end; t++) one.waiting[t] += one.waiting[t - 1];
  const place = {x: 0, y: 0, yaw: 0};
  for (const track of one.tracks) {
    const x = track.goals.xs[0], y = track.goals.ys[0];
    const isThere = i => track.xs[i] === x && track.ys[i] === y;
    for (let i = 0; i < track.times.length; i++) {
      const last = i + 1 === track.times.length, behind = last ? one.end + 1 : track.times[i + 1];
      const isStill = last || (track.xs[i] === track.xs[i + 1] && track.ys[i] === track.ys[i + 1]);
      if (isStill && !isThere(i)) continue;
      for (let t = track.times[i]; t < behind; t++) {
        poseAt(track, t, place);
        if (Math.abs(place.x - x) < 1e-3 && Math.abs(place.y - y) < 1e-3) one.onGoal[t]++;
      }
    }
  }
}

// ---- closures, and shapes of robots that cover more than their own cell

function decodeClosures(code) {
  const numbers = decode(code), list = [];
  for (let i = 0; i < numbers.length; i += 4) {
    const from = numbers[i + 2], to = numbers[i + 3] > 0 ? from + numbers[i + 3] - 1 : Infinity;
    list.push({x: numbers[i], y: topOf(numbers[i + 1]), from, to, text: spanText(from, to)});
  }
  return list;
}

// Around the robot's middle, for heading east, in cells: its cells, the area and the outline. Null for one cell alone.
function decodeShape(code) {
  const numbers = decode(code), sign = data.isRow0Below ? -1 : 1;
  if (numbers.length <= 2) return null;
  const cells = new Set(), shape = {cells, area: new Path2D(), outline: new Path2D()};
  for (let i = 0; i < numbers.length; i += 2) cells.add(`${numbers[i]},${sign * numbers[i + 1]}`);
  for (const cell of cells) {
    const [x, y] = cell.split(',').map(Number);
    shape.area.rect(x - 0.5, y - 0.5, 1, 1);
    for (const [dx, dy] of [[1, 0], [0, 1], [-1, 0], [0, -1]]) {
      if (cells.has(`${x + dx},${y + dy}`)) continue;
      shape.outline.moveTo(x + (dx - dy) / 2, y + (dy + dx) / 2);
      shape.outline.lineTo(x + (dx + dy) / 2, y + (dy - dx) / 2);
    }
  }
  return shape;
}

for (const one of scenes) {
  one.stays = decodeStays(isPlan ? one : {source: {}, end: 0});
  const {count, numbers} = one.stays;
  one.blockers = [];  // by robot: the answer of `blockerOf` for its latest wait
  one.booked = {
    tick: -1, window: -1, count: 0, items: new Int32Array(count), slots: new Uint16Array(count),
    shares: new Uint16Array(count), used: new Uint16Array(numbers.size),
  };
  one.waits = one.tracks.map((track, robot) => decodeWaits(isPlan ? one.source.waits[robot] : '', track));
  one.closures = decodeClosures(isPlan ? one.source.closures : '');
  one.shapes = isPlan ? one.source.shapes.map(decodeShape) : [];
  one.hasShapes = one.shapes.some(Boolean);
  one.flaw = one.source.flaw || null;  // what `fleetweave check` says
  if (isPlan) countStates(one);
}
