// Layers: what a plan has beyond motion. Reservations, waits, closures, footprints and the conflict are decoded here
// and drawn here; `layers` at the end has a row for each that can be switched on and off.
//
// Data lies in typed arrays; the reservations of the window are found once per tick, not in each frame.

const tickAt = t => Math.floor(t + 1e-6);
// A plan that has ended stays as it is while the one beside it goes on.
const sceneTick = t => Math.min(tickAt(t), scene.end);
const topOf = row => data.isRow0Below ? data.height - 1 - row : row;
const spanText = (from, to) => to === from ? `${from}` : `${from}–${to === Infinity ? '∞' : to}`;

// Steps from one reservation to the next, equal ones with their number: put_reservations() in tracks.c writes them.
function unpackReservations(codes, visit) {
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

// All reservations in the order in which they begin: a counting sort by tick. `first[t]` is the first that begins at t
// or later.
function decodeReservations({source, end: last}) {
  const codes = source.reservations || [], first = new Int32Array(last + 3);
  unpackReservations(codes, (robot, from) => { first[from + 2]++; });
  for (let t = 1; t < first.length; t++) first[t] += first[t - 1];
  const count = first[first.length - 1], array = () => new Int32Array(count);
  const list = {count, first, robots: array(), from: array(), to: array(), xs: array(), ys: array(), cells: array()};
  const numbers = new Map();  // of the cells that are ever reserved, so that arrays by cell are small
  unpackReservations(codes, (robot, from, to, column, row) => {
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

// The reservations of the window that begins at `tick`, in time order. Those of one cell share it: `slots` says which
// band a reservation has there, `shares` how many bands there are.
function findBooked(tick, ahead) {
  const {reservations, booked} = scene;
  if (booked.tick === tick && booked.window === ahead) return;
  const {items, slots, shares, used} = booked, behind = reservations.first[Math.min(scene.end, tick + ahead) + 1];
  let count = 0;
  for (let i = 0; i < behind; i++) if (reservations.to[i] >= tick) items[count++] = i;
  for (let k = 0; k < count; k++) slots[k] = used[reservations.cells[items[k]]]++;
  for (let k = 0; k < count; k++) shares[k] = used[reservations.cells[items[k]]];
  for (let k = 0; k < count; k++) used[reservations.cells[items[k]]] = 0;
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

// The robot for which a robot waits: the last one that has reserved the cells of its next move while it waits; -1 for a
// closure, null if there is none (the robot makes room for one that passes elsewhere).
function blockerOf(robot, index) {
  const {reservations, closures} = scene, from = scene.waits[robot].from[index], to = scene.waits[robot].to[index];
  const known = scene.blockers[robot];
  if (known && known.from === from) return known.blocker;
  const next = new Set();
  let begin = Infinity;
  for (let i = reservations.first[from + 1]; i < reservations.count && reservations.from[i] <= begin; i++) {
    if (reservations.robots[i] !== robot) continue;
    begin = reservations.from[i];
    next.add(reservations.cells[i]);
  }
  let blocker = null, last = from - 1;
  for (let i = 0; i < reservations.first[Math.min(scene.end, to) + 1]; i++) {
    if (reservations.robots[i] === robot || reservations.to[i] <= last || !next.has(reservations.cells[i])) continue;
    last = reservations.to[i];
    blocker = reservations.robots[i];
  }
  for (const closure of blocker === null ? closures : []) {
    const cell = reservations.numbers.get(topOf(closure.y) * data.width + closure.x);
    if (next.has(cell) && closure.from <= to && closure.to >= from) blocker = -1;
  }
  scene.blockers[robot] = {from, blocker};
  return blocker;
}

// Numbers of waiting robots and of robots on their goals by tick, and the sum of all waits.
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

// ---- closures, and footprints of robots that cover more than their own cell

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
  one.reservations = decodeReservations(isPlan ? one : {source: {}, end: 0});
  const {count, numbers} = one.reservations;
  one.blockers = [];  // by robot: the answer of `blockerOf` for its latest wait
  one.booked = {
    tick: -1, window: -1, count: 0, items: new Int32Array(count), slots: new Uint16Array(count),
    shares: new Uint16Array(count), used: new Uint16Array(numbers.size),
  };
  one.waits = one.tracks.map((track, robot) => decodeWaits(isPlan ? one.source.waits[robot] : '', track));
  one.closures = decodeClosures(isPlan ? one.source.closures : '');
  one.shapes = isPlan ? one.source.footprints.map(decodeShape) : [];
  one.hasShapes = one.shapes.some(Boolean);
  one.flaw = one.source.flaw || null;  // what `fleetweave check` says
  if (isPlan) countStates(one);
}

// ---- drawing --------------------------------------------------------------------------------------------------------

const legible = 26;  // pixels per cell from which on ticks are written into cells
let hatch = null;

// Slanted lines on nothing, for cells that are closed.
function makeHatch() {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 8;
  const brush = tile.getContext('2d');
  brush.strokeStyle = theme.quiet;
  brush.lineWidth = 2;
  for (const x of [-8, 0, 8]) {
    brush.moveTo(x - 1, 9);
    brush.lineTo(x + 9, -1);
  }
  brush.stroke();
  hatch = pen.createPattern(tile, 'repeat');
}

function beginTicks(size) {
  pen.font = `${Math.min(14, Math.max(8, size))}px system-ui, sans-serif`;
  pen.textAlign = 'left';
  pen.textBaseline = 'top';
}

// Reservations that begin soon are strong. A cell with several is divided into bands, the first at the top.
function drawReservations() {
  const tick = sceneTick(show.t), scale = camera.scale, inset = scale >= 8 ? 1 : 0;
  const {width, height} = view, {reservations, booked} = scene;
  findBooked(tick, show.window);
  for (let k = 0; k < booked.count; k++) {
    const i = booked.items[k], share = booked.shares[k];
    const x = screenX(reservations.xs[i]), y = screenY(reservations.ys[i] + booked.slots[k] / share);
    if (x < -scale || y < -scale || x > width || y > height) continue;
    pen.globalAlpha = 0.5 - 0.34 * Math.max(0, reservations.from[i] - tick) / show.window;
    pen.fillStyle = colours[reservations.robots[i]];
    pen.fillRect(x + inset, y + inset, scale - 2 * inset, scale / share - 2 * inset);
  }
  pen.globalAlpha = 1;
}

function drawReservedTicks() {
  if (camera.scale < legible) return;
  const scale = camera.scale, {width, height} = view, {reservations, booked} = scene;
  let lastShare = 0;
  pen.fillStyle = theme.text;
  for (let k = 0; k < booked.count; k++) {
    const i = booked.items[k], share = booked.shares[k];
    const x = screenX(reservations.xs[i]), y = screenY(reservations.ys[i] + booked.slots[k] / share);
    if (x < -scale || y < -scale || x > width || y > height || scale / share < 11) continue;
    if (share !== lastShare) beginTicks(Math.min(0.25, 0.8 / share) * scale);
    lastShare = share;
    pen.fillText(reservations.texts[i] ||= spanText(reservations.from[i], reservations.to[i]), x + 3, y + 2);
  }
}

// Hatched while it is closed, outlined before. A cell that closes more than once has the ticks of the next time.
function drawClosures() {
  const tick = tickAt(show.t), scale = camera.scale;
  let labelled = null;
  pen.lineWidth = 1;
  pen.strokeStyle = theme.quiet;
  beginTicks(0.25 * scale);
  pen.textAlign = 'right';
  for (const closure of scene.closures) {
    if (closure.to < tick) continue;
    const x = screenX(closure.x), y = screenY(closure.y), isClosed = closure.from <= tick;
    if (isClosed) {
      pen.fillStyle = hatch;
      pen.fillRect(x, y, scale, scale);
    }
    pen.setLineDash(isClosed ? noDash : shortDash);
    pen.strokeRect(x + 0.5, y + 0.5, scale - 1, scale - 1);
    const isNext = !labelled || labelled.x !== closure.x || labelled.y !== closure.y;
    if (isNext && scale >= legible) {
      labelled = closure;
      pen.fillStyle = theme.text;
      pen.fillText(closure.text, x + scale - 3, y + 2);
    }
  }
  pen.setLineDash(noDash);
}

// Dots where a robot will wait, with the number of ticks.
function drawWaitDots(robot) {
  const list = scene.waits[robot], radius = Math.max(2, Math.min(11, camera.scale * 0.2));
  for (let i = 0; i < list.from.length; i++) {
    if (list.to[i] <= show.t) continue;
    const x = screenX(list.xs[i]), y = screenY(list.ys[i]);
    pen.fillStyle = colours[robot];
    pen.strokeStyle = theme.floor;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
    if (camera.scale >= legible) {
      pen.fillStyle = inks[robot];
      pen.font = `600 ${radius * 1.2}px system-ui, sans-serif`;
      pen.textAlign = 'center';
      pen.textBaseline = 'middle';
      pen.fillText(list.to[i] - list.from[i], x, y);
    }
  }
}

function drawWaitRings() {
  const width = Math.max(1, Math.min(3, camera.scale * 0.08));
  for (let robot = 0; robot < scene.tracks.length; robot++) {
    if (waitAt(robot, show.t) >= 0) drawRing(robot, theme.wait, width / 2 + 1, width);
  }
}

// A line from a waiting robot to the one for which it waits.
function drawWaitsFor(robot) {
  const wait = waitAt(robot, show.t), blocker = wait >= 0 ? blockerOf(robot, wait) : null;
  if (blocker === null || blocker < 0) return;
  pen.strokeStyle = theme.wait;
  pen.lineWidth = 2;
  pen.setLineDash(shortDash);
  pen.beginPath();
  poseAt(scene.tracks[robot], show.t, pose);
  pen.moveTo(screenX(pose.x), screenY(pose.y));
  poseAt(scene.tracks[blocker], show.t, pose);
  pen.lineTo(screenX(pose.x), screenY(pose.y));
  pen.stroke();
  pen.setLineDash(noDash);
  drawRing(blocker, theme.wait, 5);
}

// The cells of a footprint, moving and turning with the robot.
function drawShapes() {
  const scale = camera.scale;
  for (let robot = 0; robot < scene.tracks.length; robot++) {
    const shape = scene.shapes[robot];
    if (!shape) continue;
    poseAt(scene.tracks[robot], show.t, pose);
    pen.save();
    pen.translate(screenX(pose.x), screenY(pose.y));
    pen.rotate(pose.yaw);
    pen.scale(scale, scale);
    pen.fillStyle = pen.strokeStyle = colours[robot];
    pen.globalAlpha = 0.4;
    pen.fill(shape.area);
    pen.globalAlpha = 1;
    pen.lineWidth = Math.min(0.1, 1.5 / scale);
    pen.stroke(shape.outline);
    pen.restore();
  }
}

// The conflict that fw_check_plan found: a faint ring all the time; strong from the tick before it to the tick after
// it, with rings around the robots.
function drawConflict() {
  const flaw = scene.flaw;
  if (!flaw || flaw.tick === undefined) return;
  const isNow = Math.abs(Math.min(show.t, scene.end) - flaw.tick) <= 1;
  if (isNow) for (const robot of flaw.robots) drawRing(robot, theme.alarm, 4, 3);
  if (flaw.x === undefined) return;
  const x = screenX(flaw.x + 0.5), y = screenY(topOf(flaw.y) + 0.5);
  pen.strokeStyle = theme.alarm;
  pen.globalAlpha = isNow ? 1 : 0.45;
  pen.lineWidth = isNow ? 3 : 1.5;
  pen.setLineDash(isNow ? noDash : shortDash);
  pen.beginPath();
  pen.arc(x, y, Math.max(9, camera.scale * 0.62), 0, 2 * Math.PI);
  pen.stroke();
  pen.setLineDash(noDash);
  pen.globalAlpha = 1;
}

// ---- the layers that can be switched: a checkbox and a key each, made by open.js
//
//   name       id of the checkbox, flag in `show`
//   key        switches it
//   isOn       when the page opens
//   isEmpty    no scene has anything to draw: no checkbox then
//   underPaths, underRobots, overRobots    draw in `scene`; `marked` are the chosen robot and the one under the pointer

const layers = [
  {
    name: 'waits', key: 'w', isOn: true,
    underRobots: marked => scene.tracks.forEach((_, robot) => {
      if (show.paths || marked.includes(robot)) drawWaitDots(robot);
    }),
    overRobots: marked => {
      drawWaitRings();
      marked.forEach(drawWaitsFor);
    },
  },
  {
    name: 'closures', key: 'c', isOn: true, isEmpty: () => scenes.every(one => one.closures.length === 0),
    underPaths: drawClosures,
  },
  {
    name: 'reservations', key: 'r', isOn: data.showsReservations,
    underPaths: drawReservations, underRobots: drawReservedTicks,
  },
];

// Draws what all layers that are on have at one place of the order.
function drawLayers(place, marked) {
  for (const layer of layers) if (show[layer.name] && layer[place]) layer[place](marked);
}
