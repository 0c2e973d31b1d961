// Drawing. The grid is painted once into an image of one pixel per cell, transparent where the floor is; a frame scales
// it and puts the robots on top.

const stage = document.getElementById('stage');
const pen = stage.getContext('2d');
const camera = {x: data.width / 2, y: data.height / 2, scale: 1, fitted: 1};  // middle in cells, pixels per cell
const show = {t: 0, chosen: -1, hovered: -1, labels: false, goals: true, paths: false};
const pose = {x: 0, y: 0, yaw: 0};
let theme = {}, gridImage = null;

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['page', 'floor', 'wall', 'line', 'text', 'accent', 'alarm']) {
    theme[name] = style.getPropertyValue('--' + name).trim();
  }
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

const screenX = x => (x - camera.x) * camera.scale + stage.clientWidth / 2;
const screenY = y => (y - camera.y) * camera.scale + stage.clientHeight / 2;
const worldX = px => (px - stage.clientWidth / 2) / camera.scale + camera.x;
const worldY = py => (py - stage.clientHeight / 2) / camera.scale + camera.y;

function fitScale() {
  return Math.min((stage.clientWidth - 16) / data.width, (stage.clientHeight - 16) / data.height);
}

// Lines between the cells, for what is on the screen.
function drawLines(x, y, width, height) {
  pen.strokeStyle = theme.line;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let i = Math.max(0, Math.floor(worldX(0))); i <= Math.min(data.width, worldX(stage.clientWidth)); i++) {
    pen.moveTo(screenX(i), Math.max(0, y));
    pen.lineTo(screenX(i), Math.min(stage.clientHeight, y + height));
  }
  for (let i = Math.max(0, Math.floor(worldY(0))); i <= Math.min(data.height, worldY(stage.clientHeight)); i++) {
    pen.moveTo(Math.max(0, x), screenY(i));
    pen.lineTo(Math.min(stage.clientWidth, x + width), screenY(i));
  }
  pen.stroke();
}

function drawGrid() {
  const x = screenX(0), y = screenY(0), width = data.width * camera.scale, height = data.height * camera.scale;
  pen.fillStyle = theme.floor;
  pen.fillRect(x, y, width, height);
  if (camera.scale >= 10) drawLines(x, y, width, height);
  pen.imageSmoothingEnabled = camera.scale < 1;
  pen.drawImage(gridImage, x, y, width, height);
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
  const list = tracks[robot].goals, i = goalAt(tracks[robot], show.t);
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
function drawPath(robot, strength) {
  const track = tracks[robot];
  pen.strokeStyle = colours[robot];
  pen.lineJoin = pen.lineCap = 'round';
  const width = Math.max(1.5, Math.min(5, camera.scale * 0.14));
  pen.lineWidth = width * 0.6;
  pen.globalAlpha = 0.35 * strength;
  tracePath(track, data.kind === 'run' ? Math.max(0, show.t - 60 / data.secondsPerUnit) : 0, show.t);
  const next = lastNotAbove(track.arrivals, show.t) + 1;
  pen.lineWidth = width;
  pen.globalAlpha = 0.9 * strength;
  tracePath(track, show.t, next < track.arrivals.length ? track.arrivals[next] : data.end);
  pen.globalAlpha = 1;
}

function drawRobots() {
  const radius = Math.max(1.6, data.radius * camera.scale);
  const margin = radius + 2, width = stage.clientWidth, height = stage.clientHeight;
  const isLabelled = show.labels && radius >= 5;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.font = `600 ${Math.max(7, Math.min(13, radius * 0.95))}px system-ui, sans-serif`;
  for (let robot = 0; robot < tracks.length; robot++) {
    poseAt(tracks[robot], show.t, pose);
    const x = screenX(pose.x), y = screenY(pose.y);
    if (x < -margin || y < -margin || x > width + margin || y > height + margin) continue;
    pen.fillStyle = colours[robot];
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    if (data.hasYaw && radius >= 3) {  // a nose, where it looks
      const dx = Math.cos(pose.yaw) * radius, dy = Math.sin(pose.yaw) * radius;
      pen.moveTo(x + 0.7 * dx + 0.6 * dy, y + 0.7 * dy - 0.6 * dx);
      pen.lineTo(x + 1.45 * dx, y + 1.45 * dy);
      pen.lineTo(x + 0.7 * dx - 0.6 * dy, y + 0.7 * dy + 0.6 * dx);
    }
    pen.fill();
    if (isLabelled) {
      pen.fillStyle = inks[robot];
      pen.fillText(robot, x, y);
    }
  }
}

function drawRing(robot, colour, gap) {
  poseAt(tracks[robot], show.t, pose);
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.arc(screenX(pose.x), screenY(pose.y), Math.max(1.6, data.radius * camera.scale) + gap, 0, 2 * Math.PI);
  pen.stroke();
}

// Overlaps are shown for a second, else nobody would see them.
function drawOverlaps() {
  const since = show.t - 1 / data.secondsPerUnit;
  for (let i = lastNotAbove(overlaps.times, show.t); i >= 0 && overlaps.times[i] >= since; i--) {
    drawRing(overlaps.robots[i], theme.alarm, 4);
    drawRing(overlaps.others[i], theme.alarm, 4);
  }
}

function draw() {
  const density = window.devicePixelRatio || 1;
  pen.setTransform(density, 0, 0, density, 0, 0);
  pen.fillStyle = theme.page;
  pen.fillRect(0, 0, stage.clientWidth, stage.clientHeight);
  drawGrid();
  if (show.paths) tracks.forEach((_, robot) => drawPath(robot, 0.5));
  if (show.goals && camera.scale >= 4) tracks.forEach((_, robot) => drawGoal(robot, 0.55, 1.5));
  for (const robot of new Set([show.hovered, show.chosen])) {
    if (robot >= 0) {
      drawPath(robot, 1);
      drawGoal(robot, 1, 3);
    }
  }
  drawRobots();
  if (show.hovered >= 0) drawRing(show.hovered, theme.text, 2);
  if (show.chosen >= 0) drawRing(show.chosen, theme.accent, 3);
  drawOverlaps();
}
