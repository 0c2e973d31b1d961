// Drawing. The grid is painted once into an image of one pixel per cell, transparent where the floor is; a frame scales
// it and puts the robots on top.

const show = {
  t: 0, chosen: -1, hovered: -1, pointed: null, labels: false, goals: true, paths: false, window: 8,
  ...Object.fromEntries(layers.map(({name, isOn}) => [name, isPlan && isOn])),
};
const pose = {x: 0, y: 0, yaw: 0};
const noDash = [], shortDash = [4, 3], longDash = [7, 6];
let theme = {}, gridImage = null;

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['page', 'floor', 'wall', 'line', 'text', 'quiet', 'accent', 'alarm', 'wait']) {
    theme[name] = style.getPropertyValue('--' + name).trim();
  }
  makeHatch();
}

// Maps beyond what a canvas may hold are painted with fewer pixels than cells.
function paintGrid() {
  const shrink = Math.max(1, Math.ceil(Math.max(data.width, data.height) / 8192));
  gridImage = document.createElement('canvas');
  gridImage.width = Math.ceil(data.width / shrink);
  gridImage.height = Math.ceil(data.height / shrink);
  const brush = gridImage.getContext('2d');
  const runs = decode(data.grid);  // pairs: number of cells, their cost
  for (let i = 0, cell = 0; i < runs.length; i += 2) {
    const cost = runs[i + 1];
    for (let left = runs[i]; left > 0;) {
      const x = cell % data.width, row = (cell - x) / data.width;
      const length = Math.min(left, data.width - x);
      if (cost !== 1) {
        brush.fillStyle = theme.wall;
        brush.globalAlpha = cost === 0 ? 1 : Math.min(0.4, 0.06 + cost / 640);
        const y = data.isRow0Below ? data.height - 1 - row : row;
        brush.fillRect(x / shrink, y / shrink, length / shrink, 1 / shrink);
      }
      cell += length;
      left -= length;
    }
  }
}

// Lines between the cells, for what is on the screen.
function drawLines(x, y, width, height) {
  pen.strokeStyle = theme.line;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let i = Math.max(0, Math.floor(worldX(0))); i <= Math.min(data.width, worldX(view.width)); i++) {
    pen.moveTo(screenX(i), Math.max(0, y));
    pen.lineTo(screenX(i), Math.min(view.height, y + height));
  }
  for (let i = Math.max(0, Math.floor(worldY(0))); i <= Math.min(data.height, worldY(view.height)); i++) {
    pen.moveTo(Math.max(0, x), screenY(i));
    pen.lineTo(Math.min(view.width, x + width), screenY(i));
  }
  pen.stroke();
}

// Cells with traffic rules: no waiting, or one way; the arrow points away from the directions that are forbidden.
const ruled = [];
if (data.rules) {
  const runs = decode(data.rules);  // pairs: number of cells, their rule
  for (let i = 0, cell = 0; i < runs.length; cell += runs[i], i += 2) {
    let dx = 0, dy = 0;
    for (let heading = 0; heading < 8; heading++) {
      if (runs[i + 1] >> heading & 1) {
        dx -= Math.cos(heading * Math.PI / 4);
        dy -= Math.sin(heading * Math.PI / 4) * (data.isRow0Below ? -1 : 1);
      }
    }
    const length = Math.hypot(dx, dy), scale = length > 0.1 ? 1 / length : 0;
    for (let k = cell; k < cell + runs[i] && runs[i + 1] !== 0; k++) {
      const y = topOf(Math.floor(k / data.width));
      ruled.push({x: k % data.width, y, dx: dx * scale, dy: dy * scale, isNoWaiting: (runs[i + 1] & 256) !== 0});
    }
  }
}

function drawRules() {
  pen.globalAlpha = 0.7;
  pen.lineWidth = Math.max(1, camera.scale * 0.05);
  for (const {x, y, dx, dy, isNoWaiting} of ruled) {
    const line = (...points) => {
      pen.beginPath();
      points.forEach(([px, py], i) => pen[i > 0 ? 'lineTo' : 'moveTo'](screenX(px), screenY(py)));
      pen.stroke();
    };
    if (isNoWaiting) {
      pen.strokeStyle = '#d97706';
      line([x, y + 1], [x + 1, y]);
    }
    if (dx !== 0 || dy !== 0) {
      const cx = x + 0.5, cy = y + 0.5, tip = [cx + 0.3 * dx, cy + 0.3 * dy];
      pen.strokeStyle = '#2563eb';
      line([cx - 0.3 * dx, cy - 0.3 * dy], tip, [cx + 0.1 * dx - 0.15 * dy, cy + 0.1 * dy + 0.15 * dx]);
      line(tip, [cx + 0.1 * dx + 0.15 * dy, cy + 0.1 * dy - 0.15 * dx]);
    }
  }
  pen.globalAlpha = 1;
}

function drawGrid() {
  const x = screenX(0), y = screenY(0), width = data.width * camera.scale, height = data.height * camera.scale;
  pen.fillStyle = theme.floor;
  pen.fillRect(x, y, width, height);
  if (camera.scale >= 10) drawLines(x, y, width, height);
  pen.imageSmoothingEnabled = camera.scale < 1;
  pen.drawImage(gridImage, x, y, width, height);
  if (camera.scale >= 4) drawRules();
  pen.strokeStyle = theme.wall;
  pen.lineWidth = 1;
  pen.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
}

// The part of a track between two times.
function tracePath(track, from, to) {
  pen.beginPath();
  poseAt(track, from, pose);
  pen.moveTo(screenX(pose.x), screenY(pose.y));
  for (let i = lastNotAbove(track.times, from) + 1; i < track.times.length && track.times[i] < to; i++) {
    pen.lineTo(screenX(track.xs[i]), screenY(track.ys[i]));
  }
  poseAt(track, to, pose);
  pen.lineTo(screenX(pose.x), screenY(pose.y));
  pen.stroke();
}

function drawGoal(robot, alpha, width) {
  const list = scene.tracks[robot].goals, i = goalAt(scene.tracks[robot], show.t);
  if (i < 0) return;
  const radius = Math.max(2.5, data.radius * 0.85 * camera.scale);
  pen.globalAlpha = alpha;
  pen.strokeStyle = colours[robot];
  pen.lineWidth = width;
  pen.beginPath();
  pen.arc(screenX(list.xs[i]), screenY(list.ys[i]), radius, 0, 2 * Math.PI);
  pen.stroke();
  pen.globalAlpha = 1;
}

// What is past is thin, what is to come is strong: in a run only up to the present goal's end.
function drawPathBehind(robot) {
  pen.strokeStyle = colours[robot];
  pen.lineWidth = pathWidth() * 0.6;
  pen.globalAlpha = 0.35;
  tracePath(scene.tracks[robot], isPlan ? 0 : Math.max(0, show.t - 60 / data.secondsPerUnit), show.t);
  pen.globalAlpha = 1;
}

function drawPathAhead(robot, strength) {
  const track = scene.tracks[robot], next = lastNotAbove(track.arrivals, show.t) + 1;
  pen.strokeStyle = colours[robot];
  pen.lineWidth = pathWidth();
  pen.globalAlpha = 0.9 * strength;
  if (isLive && live.isAtEdge) drawLivePath(track);
  else tracePath(track, show.t, next < track.arrivals.length ? track.arrivals[next] : scene.end);
  if (isPlan && track.arrivals.length === 0) drawRest(track);
  pen.globalAlpha = 1;
}

// From where the plan ends to the goal that it does not reach.
function drawRest(track) {
  poseAt(track, scene.end, pose);
  pen.lineWidth *= 0.5;
  pen.lineCap = 'butt';
  pen.setLineDash(longDash);
  pen.beginPath();
  pen.moveTo(screenX(pose.x), screenY(pose.y));
  pen.lineTo(screenX(track.goals.xs[0]), screenY(track.goals.ys[0]));
  pen.stroke();
  pen.lineCap = 'round';
  pen.setLineDash(noDash);
}

const pathWidth = () => Math.max(1.5, Math.min(5, camera.scale * 0.14));

function drawRobots() {
  const radius = Math.max(1.6, data.radius * camera.scale);
  const margin = radius + 2, width = view.width, height = view.height;
  const isLabelled = show.labels && radius >= 5;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.font = `600 ${Math.max(7, Math.min(13, radius * 0.95))}px system-ui, sans-serif`;
  for (let robot = 0; robot < scene.tracks.length; robot++) {
    poseAt(scene.tracks[robot], show.t, pose);
    const x = screenX(pose.x), y = screenY(pose.y);
    if (x < -margin || y < -margin || x > width + margin || y > height + margin) continue;
    pen.fillStyle = colours[robot];
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    if (scene.tracks[robot].yaws && radius >= 3) {  // a nose, where it looks
      const dx = Math.cos(pose.yaw) * radius, dy = Math.sin(pose.yaw) * radius;
      pen.moveTo(x + 0.7 * dx + 0.6 * dy, y + 0.7 * dy - 0.6 * dx);
      pen.lineTo(x + 1.45 * dx, y + 1.45 * dy);
      pen.lineTo(x + 0.7 * dx - 0.6 * dy, y + 0.7 * dy + 0.6 * dx);
    }
    if (scene.shapes[robot]) {  // stands out from the shape of the same colour
      pen.strokeStyle = theme.floor;
      pen.lineWidth = 3;
      pen.stroke();
    }
    pen.fill();
    if (isLabelled) {
      pen.fillStyle = inks[robot];
      pen.fillText(robot, x, y);
    }
  }
}

function drawRing(robot, colour, gap, width = 2) {
  poseAt(scene.tracks[robot], show.t, pose);
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  pen.arc(screenX(pose.x), screenY(pose.y), Math.max(1.6, data.radius * camera.scale) + gap, 0, 2 * Math.PI);
  pen.stroke();
}

// Overlaps are drawn for a second, since one frame would be too short to see.
function drawOverlaps() {
  const since = show.t - 1 / data.secondsPerUnit, {times, robots, others} = scene.overlaps;
  for (let i = lastNotAbove(times, show.t); i >= 0 && times[i] >= since; i--) {
    drawRing(robots[i], theme.alarm, 4);
    drawRing(others[i], theme.alarm, 4);
  }
}

function drawScene() {
  const marked = [...new Set([show.hovered, show.chosen])].filter(robot => robot >= 0 && robot < scene.tracks.length);
  drawGrid();
  drawLayers('underPaths', marked);
  pen.lineJoin = pen.lineCap = 'round';
  if (show.paths) for (let robot = 0; robot < scene.tracks.length; robot++) drawPathAhead(robot, 0.5);
  if (show.goals && camera.scale >= 4) scene.tracks.forEach((_, robot) => drawGoal(robot, 0.55, 1.5));
  for (const robot of marked) {
    drawPathBehind(robot);
    drawPathAhead(robot, 1);
    drawGoal(robot, 1, 3);
  }
  drawLayers('underRobots', marked);
  if (scene.hasShapes) drawShapes();
  drawRobots();
  drawLayers('overRobots', marked);
  for (const robot of marked) {
    const isChosen = robot === show.chosen;
    drawRing(robot, isChosen ? theme.accent : theme.text, isChosen ? 3 : 2);
  }
  drawOverlaps();
  drawConflict();
}

function draw() {
  const density = window.devicePixelRatio || 1;
  pen.setTransform(density, 0, 0, density, 0, 0);
  pen.fillStyle = theme.page;
  pen.fillRect(0, 0, stage.clientWidth, stage.clientHeight);
  inEachView(() => {
    pen.save();
    pen.beginPath();
    pen.rect(view.left, view.top, view.width, view.height);
    pen.clip();
    pen.translate(view.left, view.top);
    drawScene();
    pen.restore();
  });
}
