// Drawing of the layers: reservations, closures, waits, shapes, conflicts.

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

// What comes soon is strong. A cell that several keep is shared, from the first at the top to the last at the bottom.
function drawReservations() {
  const tick = sceneTick(show.t), scale = camera.scale, inset = scale >= 8 ? 1 : 0;
  const {width, height} = view, {stays, booked} = scene;
  findBooked(tick, show.window);
  for (let k = 0; k < booked.count; k++) {
    const i = booked.items[k], share = booked.shares[k];
    const x = screenX(stays.xs[i]), y = screenY(stays.ys[i] + booked.slots[k] / share);
    if (x < -scale || y < -scale || x > width || y > height) continue;
    pen.globalAlpha = 0.5 - 0.34 * Math.max(0, stays.from[i] - tick) / show.window;
    pen.fillStyle = colours[stays.robots[i]];
    pen.fillRect(x + inset, y + inset, scale - 2 * inset, scale / share - 2 * inset);
  }
  pen.globalAlpha = 1;
}

function drawReservedTicks() {
  const scale = camera.scale, {width, height} = view, {stays, booked} = scene;
  let lastShare = 0;
  pen.fillStyle = theme.text;
  for (let k = 0; k < booked.count; k++) {
    const i = booked.items[k], share = booked.shares[k];
    const x = screenX(stays.xs[i]), y = screenY(stays.ys[i] + booked.slots[k] / share);
    if (x < -scale || y < -scale || x > width || y > height || scale / share < 11) continue;
    if (share !== lastShare) beginTicks(Math.min(0.25, 0.8 / share) * scale);
    lastShare = share;
    pen.fillText(stays.texts[i] ||= spanText(stays.from[i], stays.to[i]), x + 3, y + 2);
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

// From a robot that waits to the one for which it waits.
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

// What the check found: where it is, faintly all the time; from the tick before it to the tick after it strongly, with
// the robots concerned.
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
