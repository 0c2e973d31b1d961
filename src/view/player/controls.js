// Time, camera, pointer and keys. State is in `show`, `camera` and here; `refresh` requests one frame.

const speeds = [0.25, 0.5, 1, 2, 4, 8, 16];
const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
// One step of the arrow keys: a tick of a plan, a second of a run.
const step = isPlan ? 1 : 1 / data.secondsPerUnit;
let speed = 1, isPlaying = false, lastFrame = 0, isFramePending = false;
let requestFrame = callback => requestAnimationFrame(callback);

function refresh() {
  if (!isFramePending) {
    isFramePending = true;
    requestFrame(frame);
  }
}

// Time goes on.
let advance = elapsed => {
  seek(show.t + elapsed * speed / data.secondsPerUnit);
  if (show.t >= end) setPlaying(false);
};

function frame(now) {
  isFramePending = false;
  if (isPlaying) {
    const elapsed = Math.min(0.25, (now - lastFrame) / 1000);  // a tab that was hidden does not jump
    lastFrame = now;
    advance(elapsed);
  }
  followChosen();
  draw();
  drawTexts();
  if (isPlaying) refresh();
}

function seek(t) {
  show.t = Math.max(0, Math.min(end, t));
  live.isAtEdge = false;
  byId('time').value = show.t;
  refresh();
}

function setPlaying(value) {
  isPlaying = value && (end > 0 || isLive);
  if (isPlaying && show.t >= end && !live.isAtEdge) show.t = 0;
  lastFrame = performance.now();
  byId('play').textContent = isPlaying ? 'Pause' : 'Play';
  byId('play').setAttribute('aria-label', isPlaying ? 'Pause' : 'Play');
  refresh();
}

function setSpeed(value) {
  speed = value;
  byId('speed').value = String(value);
}

// How many ticks ahead reservations are shown.
function setWindow(ticks) {
  const slider = byId('window');
  show.window = Math.max(1, Math.min(Number(slider.max), Math.round(ticks)));
  slider.value = show.window;
  byId('windowText').textContent = show.window;
  refresh();
}

function choose(robot) {
  show.chosen = robot >= 0 && robot < robotCount ? robot : -1;
  byId('robot').value = show.chosen >= 0 ? show.chosen : '';
  refresh();
}

// ---- camera

function fit() {
  camera.x = data.width / 2;
  camera.y = data.height / 2;
  camera.scale = camera.fitted = Math.max(0.01, fitScale(view.width, view.height));
  refresh();
}

function zoom(factor, px, py) {
  const x = worldX(px), y = worldY(py);
  camera.scale = Math.max(camera.fitted / 4, Math.min(200, camera.scale * factor));
  camera.x += x - worldX(px);
  camera.y += y - worldY(py);
  refresh();
}

// Only when the map is larger than the window is there a need to move it.
function followChosen() {
  if (show.chosen < 0 || !byId('follow').checked || camera.scale <= camera.fitted * 1.01 || drag) return;
  const shown = scenes.find(one => show.chosen < one.tracks.length);
  poseAt(shown.tracks[show.chosen], show.t, pose);
  camera.x = pose.x;
  camera.y = pose.y;
}

function resize() {
  const density = window.devicePixelRatio || 1, wasFitted = camera.scale === camera.fitted;
  arrange();
  view = scene.view;
  stage.width = Math.round(stage.clientWidth * density);
  stage.height = Math.round(stage.clientHeight * density);
  camera.fitted = Math.max(0.01, fitScale(view.width, view.height));
  if (wasFitted) fit();
  drawMarks();
  refresh();
}

// ---- pointer

let drag = null;

// Is a point, in cells, on the robot's shape as it lies?
function isOnShape(robot, x, y) {
  const shape = scene.shapes[robot];
  if (!shape) return false;
  const cos = Math.cos(pose.yaw), sin = Math.sin(pose.yaw), dx = x - pose.x, dy = y - pose.y;
  return shape.cells.has(`${Math.round(dx * cos + dy * sin)},${Math.round(dy * cos - dx * sin)}`);
}

// The robot whose disc is nearest to a point of the view of `scene`; a robot whose shape is there if there is no disc.
function robotNear(px, py) {
  let best = -1, nearest = Math.max(9, data.radius * camera.scale) ** 2, under = -1;
  for (let robot = 0; robot < scene.tracks.length; robot++) {
    poseAt(scene.tracks[robot], show.t, pose);
    const distance = (screenX(pose.x) - px) ** 2 + (screenY(pose.y) - py) ** 2;
    if (distance < nearest) {
      nearest = distance;
      best = robot;
    } else if (scene.hasShapes && under < 0 && isOnShape(robot, worldX(px), worldY(py))) {
      under = robot;
    }
  }
  return best >= 0 ? best : under;
}

// Looks into the view under a point of the stage.
function inViewAt(px, py, visit) {
  const before = scene, {found, x, y} = sceneAt(px, py);
  scene = found;
  view = found.view;
  const answer = visit(x, y);
  scene = before;
  view = before.view;
  return answer;
}

function point(px, py) {
  const robot = px < 0 ? -1 : inViewAt(px, py, robotNear);
  show.pointed = robot >= 0 ? {scene: sceneAt(px, py).found, x: px, y: py} : null;
  if (robot >= 0 || show.hovered >= 0) refresh();
  show.hovered = robot;
}

stage.addEventListener('wheel', event => {
  event.preventDefault();
  const factor = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015));
  inViewAt(event.offsetX, event.offsetY, (x, y) => zoom(factor, x, y));
}, {passive: false});
stage.addEventListener('pointerdown', event => {
  drag = {x: event.offsetX, y: event.offsetY, hasMoved: false};
  stage.setPointerCapture(event.pointerId);
});
stage.addEventListener('pointermove', event => {
  if (!drag) {
    point(event.offsetX, event.offsetY);
    return;
  }
  const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
  if (!drag.hasMoved && Math.hypot(dx, dy) < 4) return;
  drag = {x: event.offsetX, y: event.offsetY, hasMoved: true};
  stage.classList.add('dragging');
  camera.x -= dx / camera.scale;
  camera.y -= dy / camera.scale;
  if (show.chosen >= 0 && camera.scale > camera.fitted * 1.01) byId('follow').checked = false;
  refresh();
});
stage.addEventListener('pointerup', event => {
  if (drag && !drag.hasMoved) choose(inViewAt(event.offsetX, event.offsetY, robotNear));
  drag = null;
  stage.classList.remove('dragging');
});
stage.addEventListener('pointercancel', () => { drag = null; });
stage.addEventListener('pointerleave', () => point(-1, -1));

// ---- keys

function toggle(id) {
  byId(id).checked = !byId(id).checked;
  byId(id).dispatchEvent(new Event('change'));
}

function toggleHelp() {
  byId('help').hidden = !byId('help').hidden;
  byId('keys').setAttribute('aria-expanded', String(!byId('help').hidden));
}

// The next overlap of a run, or conflict of a plan; behind the last one the first.
function nextFault() {
  const times = scenes.flatMap(one => one.flaw && one.flaw.tick !== undefined ? [one.flaw.tick] : one.overlaps.times);
  const next = times.sort((a, b) => a - b).find(t => t > show.t + 1e-9) ?? times[0];
  if (next !== undefined) seek(next);
}

const middle = () => [view.width / 2, view.height / 2];
const changeSpeed = by => setSpeed(speeds[Math.max(0, Math.min(speeds.length - 1, speeds.indexOf(speed) + by))]);
const actions = {
  ' ': () => setPlaying(!isPlaying),
  ArrowLeft: event => seek((Math.ceil(show.t / step - 1e-6) - (event.shiftKey ? 10 : 1)) * step),
  ArrowRight: event => seek((Math.floor(show.t / step + 1e-6) + (event.shiftKey ? 10 : 1)) * step),
  Home: () => seek(0), End: () => seek(end),
  '[': () => changeSpeed(-1), ']': () => changeSpeed(1),
  n: () => choose((show.chosen + 1) % robotCount),
  p: () => choose((Math.max(show.chosen, 0) + robotCount - 1) % robotCount),
  Escape: () => choose(-1),
  e: () => { if (isLive) goToEdge(); },
  f: () => toggle('follow'), l: () => toggle('labels'), g: () => toggle('goals'), t: () => toggle('paths'),
  ...Object.fromEntries(layers.map(({name, key}) => [key, () => toggle(name)])),
  ',': () => setWindow(show.window - 1), '.': () => setWindow(show.window + 1),
  '+': () => zoom(1.25, ...middle()), '=': () => zoom(1.25, ...middle()), '-': () => zoom(0.8, ...middle()),
  0: fit, o: nextFault, '?': toggleHelp,
};

addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const focus = document.activeElement, isTyping = focus.matches('input[type=number], select');
  if (isTyping || (event.key === ' ' && focus.matches('button, input[type=checkbox]'))) return;
  if (focus.id === 'window' && /^(Arrow|Home|End|Page)/.test(event.key)) return;
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action) {
    event.preventDefault();
    action(event);
  }
});
