// Texts: captions, the state of a robot, and the marks above the time line.

const number = value => Number(value).toLocaleString('en');
const headingNames = ['east', 'south-east', 'south', 'south-west', 'west', 'north-west', 'north', 'north-east'];
const headingText = yaw => headingNames[((Math.round(yaw / (Math.PI / 4)) % 8) + 8) % 8];

function secondsText(t) {
  const tenths = Math.round(seconds(t) * 10), minutes = Math.floor(tenths / 600);
  const rest = ((tenths - 600 * minutes) / 10).toFixed(1);
  return minutes > 0 ? `${minutes}:${rest.padStart(4, '0')}` : rest + ' s';
}

// A moment by itself ("tick 12, 6.0 s") and as part of the whole ("tick 12 of 68 · 6.0 s").
const momentText = t => isPlan ? `tick ${tickAt(t)}, ${secondsText(t)}` : secondsText(t);
const clockText = t => isPlan ?
  `tick ${tickAt(t)} of ${tickAt(end)} · ${secondsText(t)}` : `${secondsText(t)} of ${secondsText(end)}`;

// As in the file: cells with their own row 0, or metres.
function placeText(x, y) {
  if (data.metresPerCell > 0) {
    const up = data.isRow0Below ? data.height - y : y;
    return `(${(x * data.metresPerCell).toFixed(2)}, ${(up * data.metresPerCell).toFixed(2)}) m`;
  }
  return `(${Math.floor(x)}, ${Math.floor(y)})`;
}

// What a robot of a plan does.
function stateText(robot) {
  const track = scene.tracks[robot], wait = waitAt(robot, show.t);
  if (wait >= 0) {
    const {from, to} = scene.waits[robot], blocker = blockerOf(robot, wait);
    const whom = blocker === null ? '' : blocker < 0 ? ' for a closure' : ` for robot ${blocker}`;
    return `waits from tick ${from[wait]} to ${to[wait]}${whom}`;
  }
  const a = lastNotAbove(track.times, show.t), b = a + 1;
  if (b < track.times.length) {
    if (track.xs[a] !== track.xs[b] || track.ys[a] !== track.ys[b]) return 'drives';
    if (track.yaws && track.yaws[a] !== track.yaws[b]) return `turns to ${headingText(track.yaws[b])}`;
  }
  const isThere = pose.x === track.goals.xs[0] && pose.y === track.goals.ys[0];
  return isThere ? 'is on its goal' : 'stands';
}

// All about a robot of `scene`, in short pieces.
function robotTexts(robot) {
  const track = scene.tracks[robot], texts = [];
  poseAt(track, show.t, pose);
  texts.push(`Robot ${robot} at ${placeText(pose.x, pose.y)}`);
  if (isPlan) texts.push(stateText(robot));
  if (isPlan && track.yaws) texts.push(`faces ${headingText(pose.yaw)}`);
  const goal = goalAt(track, show.t);
  if (goal >= 0) texts.push(`goal ${placeText(track.goals.xs[goal], track.goals.ys[goal])}`);
  const past = lastNotAbove(track.arrivals, show.t), next = track.arrivals[past + 1];
  if (next !== undefined) texts.push(`arrives at ${momentText(next)}`);
  else if (past >= 0) texts.push(`arrived at ${momentText(track.arrivals[past])}`);
  if (!isPlan && !isLive) texts.push(`${past + 1} ${past === 0 ? 'goal' : 'goals'} reached`);
  return texts;
}

// ---- captions: a row of facts for each scene

function setFact(id, text, isAlarm) {
  const row = byId(id);
  if (row.lastElementChild.textContent !== text) row.lastElementChild.textContent = text;
  row.classList.toggle('alarm', Boolean(isAlarm));
}

function addFact(name, value, id) {
  const row = document.createElement('div'), term = document.createElement('dt'), text = document.createElement('dd');
  if (id) row.id = id + (scene.index || '');
  term.textContent = name;
  text.textContent = value;
  row.append(term, text);
  scene.caption.lastElementChild.append(row);
  return row;
}

// A figure of the second plan has the difference to the first beside it.
function compared(name, value) {
  const other = scenes[0].figures.get(name);
  scene.figures.set(name, value);
  if (scene.index === 0 || !/^\d+$/.test(value) || !/^\d+$/.test(other) || value === other) return value;
  return `${value} (${value - other > 0 ? '+' : '−'}${Math.abs(value - other)})`;
}

// What `fleetweave check` says; one click goes there.
function addCheck() {
  const row = addFact('Check', '', 'check'), {flaw} = scene;
  row.classList.toggle('alarm', Boolean(flaw));
  if (!flaw || flaw.tick === undefined) {
    row.lastElementChild.textContent = flaw ? flaw.text : 'no conflict';
    return;
  }
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = flaw.text;
  button.addEventListener('click', () => { setPlaying(false); seek(flaw.tick); });
  row.lastElementChild.append(button);
}

function addCaption() {
  scene.caption = document.createElement('section');
  scene.caption.className = 'caption';
  scene.figures = new Map();
  if (scenes.length > 1) {
    const name = document.createElement('h2');
    name.textContent = scene.name;
    scene.caption.append(name);
  }
  scene.caption.append(document.createElement('dl'));
  byId(scenes.length > 1 ? 'floor' : 'head').append(scene.caption);
  addFact('Robots', number(scene.tracks.length));
  for (const [name, value] of scene.source.facts) addFact(name, compared(name, value));
  if (isPlan) addFact('Ticks waited', compared('Ticks waited', String(scene.waited)), 'waited');
  if (isLive) return;
  addFact('Arrived', '', 'arrived');
  if (isPlan) {
    addFact('On goals', '', 'ongoal');
    addFact('Waiting', '', 'waiting');
    addCheck();
  } else {
    addFact('Overlaps', '', 'overlapped');
  }
}

function drawCaption() {
  if (isLive) return;
  const {tracks, overlaps, index} = scene, own = id => id + (index || '');
  const arrived = lastNotAbove(scene.arrivalTimes, show.t) + 1;
  setFact(own('arrived'), isPlan ? `${number(arrived)} of ${number(tracks.length)}` : number(arrived));
  if (isPlan) {
    setFact(own('waiting'), number(scene.waiting[sceneTick(show.t)]));
    setFact(own('ongoal'), number(scene.onGoal[sceneTick(show.t)]));
  } else {
    const count = lastNotAbove(overlaps.times, show.t) + 1;
    setFact(own('overlapped'), `${number(count)} of ${number(overlaps.times.length)}`, count > 0);
  }
}

// ---- everything that changes with time

// Beside the pointer: the state of the robot under it.
function drawTip() {
  const tip = byId('tip'), {pointed} = show;
  tip.hidden = !pointed || show.hovered < 0;
  if (tip.hidden) return;
  const before = scene;
  scene = pointed.scene;
  const text = robotTexts(show.hovered).join('\n');
  scene = before;
  if (tip.textContent !== text) tip.textContent = text;
  const isRight = pointed.x + 16 + tip.offsetWidth < stage.clientWidth;
  const isBelow = pointed.y + 16 + tip.offsetHeight < stage.clientHeight;
  tip.style.left = `${isRight ? pointed.x + 14 : Math.max(0, pointed.x - 10 - tip.offsetWidth)}px`;
  tip.style.top = `${isBelow ? pointed.y + 14 : Math.max(0, pointed.y - 10 - tip.offsetHeight)}px`;
}

function drawTexts() {
  byId('clock').textContent = clockText(show.t);
  byId('time').setAttribute('aria-valuetext', clockText(show.t));
  inEach(drawCaption);
  const robot = show.hovered >= 0 ? show.hovered : show.chosen, lines = [];
  inEach(({name, tracks}) => {
    if (robot < 0 || robot >= tracks.length) return;
    lines.push((scenes.length > 1 ? name + ': ' : '') + robotTexts(robot).join(' · '));
  });
  byId('panel').textContent = lines.join('\n');
  drawTip();
}

// Arrivals above the time line, a row for each scene; what went wrong in red.
function drawMarks() {
  const marks = byId('marks'), brush = marks.getContext('2d'), row = 8 / scenes.length;
  marks.width = marks.clientWidth;
  marks.height = 8;
  const place = t => 8 + (marks.width - 16) * (end > 0 ? t / end : 0);
  for (const {index, arrivalTimes, overlaps, flaw} of scenes) {
    brush.fillStyle = theme.wall;
    brush.globalAlpha = 0.35;
    for (const t of arrivalTimes) brush.fillRect(place(t), index * row + row * 0.35, 1, row * 0.65);
    brush.globalAlpha = 1;
    brush.fillStyle = theme.alarm;
    for (const t of overlaps.times) brush.fillRect(place(t) - 1, 0, 2, 8);
    if (flaw && flaw.tick !== undefined) brush.fillRect(place(flaw.tick) - 2, index * row, 4, row);
  }
}
