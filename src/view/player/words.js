// Captions, the chosen robot's line, the marks above the time, and what happens when the page opens.

const number = value => Number(value).toLocaleString('en');

function secondsText(t) {
  const tenths = Math.round(seconds(t) * 10), minutes = Math.floor(tenths / 600);
  const rest = ((tenths - 600 * minutes) / 10).toFixed(1);
  return minutes > 0 ? `${minutes}:${rest.padStart(4, '0')}` : rest + ' s';
}

// A moment by itself ("tick 12, 6.0 s") and as part of the whole ("tick 12 of 68 · 6.0 s").
const momentText = t => data.kind === 'plan' ? `tick ${tickAt(t)}, ${secondsText(t)}` : secondsText(t);
const clockText = t => data.kind === 'plan' ?
  `tick ${tickAt(t)} of ${tickAt(data.end)} · ${secondsText(t)}` : `${secondsText(t)} of ${secondsText(data.end)}`;

// As in the file: cells with their own row 0, or metres.
function placeText(x, y) {
  if (data.metresPerCell > 0) {
    const up = data.isRow0Below ? data.height - y : y;
    return `(${(x * data.metresPerCell).toFixed(2)}, ${(up * data.metresPerCell).toFixed(2)}) m`;
  }
  return `(${Math.floor(x)}, ${Math.floor(y)})`;
}

function robotText(robot) {
  const track = tracks[robot], words = [];
  poseAt(track, show.t, pose);
  words.push(`Robot ${robot} at ${placeText(pose.x, pose.y)}`);
  const goal = goalAt(track, show.t);
  if (goal >= 0) words.push(`goal ${placeText(track.goals.xs[goal], track.goals.ys[goal])}`);
  const wait = waitAt(robot, show.t);
  if (wait >= 0) words.push(`waits from tick ${waits[robot].from[wait]} to ${waits[robot].to[wait]}`);
  const past = lastNotAbove(track.arrivals, show.t), next = track.arrivals[past + 1];
  if (next !== undefined) words.push(`arrives at ${momentText(next)}`);
  else if (past >= 0) words.push(`arrived at ${momentText(track.arrivals[past])}`);
  if (data.kind === 'run') words.push(`${past + 1} ${past === 0 ? 'goal' : 'goals'} reached`);
  return words.join(' · ');
}

function setFact(id, text, isAlarm) {
  const row = byId(id);
  row.lastElementChild.textContent = text;
  row.classList.toggle('alarm', Boolean(isAlarm));
}

function addFact(name, value, id) {
  const row = document.createElement('div'), term = document.createElement('dt'), text = document.createElement('dd');
  if (id) row.id = id;
  term.textContent = name;
  text.textContent = value;
  row.append(term, text);
  byId('facts').append(row);
}

function drawWords() {
  byId('clock').textContent = clockText(show.t);
  byId('time').setAttribute('aria-valuetext', clockText(show.t));
  const arrived = lastNotAbove(arrivalTimes, show.t) + 1;
  setFact('arrived', data.kind === 'plan' ? `${number(arrived)} of ${number(tracks.length)}` : number(arrived));
  if (isPlan) {
    setFact('waiting', number(waiting[tickAt(show.t)]));
    setFact('ongoal', number(onGoal[tickAt(show.t)]));
  } else {
    const count = lastNotAbove(overlaps.times, show.t) + 1;
    setFact('overlapped', `${number(count)} of ${number(overlaps.times.length)}`, count > 0);
  }
  const robot = show.hovered >= 0 ? show.hovered : show.chosen;
  byId('panel').textContent = robot >= 0 ? robotText(robot) : '';
}

function drawMarks() {
  const marks = byId('marks'), brush = marks.getContext('2d');
  marks.width = marks.clientWidth;
  marks.height = 8;
  const place = t => 8 + (marks.width - 16) * (data.end > 0 ? t / data.end : 0);
  brush.fillStyle = theme.wall;
  brush.globalAlpha = 0.35;
  for (const t of arrivalTimes) brush.fillRect(place(t), 3, 1, 5);
  brush.globalAlpha = 1;
  brush.fillStyle = theme.alarm;
  for (const t of overlaps.times) brush.fillRect(place(t) - 1, 0, 2, 8);
}

// `page.html#selftest` goes through the whole of the data, plays the last moments and writes down what it found; tests
// read the attribute. `#t=12.5&robot=3` opens at a moment (in seconds) with a robot chosen.
function selfTest() {
  const report = {
    robots: tracks.length, end: data.end, keyframes: 0, onGoal: 0, outside: 0, overlaps: overlaps.times.length,
  };
  for (const track of tracks) {
    report.keyframes += track.times.length;
    for (let i = 0; i < track.times.length; i++) {
      const x = track.xs[i], y = track.ys[i];
      if (!(x >= 0 && y >= 0 && x <= data.width && y <= data.height)) report.outside++;
    }
    const goal = goalAt(track, data.end);
    poseAt(track, data.end, pose);
    if (goal >= 0 && Math.hypot(pose.x - track.goals.xs[goal], pose.y - track.goals.ys[goal]) < 0.01) report.onGoal++;
  }
  report.halfway = tracks.slice(0, 4).map(track => {
    poseAt(track, data.end / 2, pose);
    return [pose.x, pose.y].map(value => Math.round(value * 1000) / 1000);
  });
  report.firstWall = gridImage.getContext('2d').getImageData(0, 0, gridImage.width, gridImage.height).data
    .findIndex((value, i) => i % 4 === 3 && value === 255) >> 2;  // the first opaque pixel, row by row
  askFrame = callback => setTimeout(() => callback(performance.now()), 16);  // a page that nobody sees gets no frames
  isAsked = false;
  choose(0);
  show.paths = show.labels = true;
  setSpeed(16);
  seek(data.end - 1 / data.secondsPerUnit);
  setPlaying(true);
  (function wait() {
    if (isPlaying) return setTimeout(wait, 20);
    report.played = show.t;
    report.arrived = lastNotAbove(arrivalTimes, show.t) + 1;
    report.pixel = [...pen.getImageData(0, 0, 1, 1).data];
    document.body.dataset.selftest = JSON.stringify(report);
  })();
}

function openPage() {
  for (const value of speeds) byId('speed').add(new Option(value + '×', value));
  const duration = seconds(data.end);
  setSpeed(data.kind === 'run' ? 1 : speeds.find(value => value >= 1 && duration / value <= 60) || 16);
  byId('time').max = data.end || 1;
  byId('robot').max = tracks.length - 1;
  byId('labels').checked = show.labels = tracks.length <= 100;
  addFact('Robots', number(tracks.length));
  for (const [name, value] of data.facts) addFact(name, value);
  addFact('Arrived', '', 'arrived');
  if (isPlan) {
    addFact('On goals', '', 'ongoal');
    addFact('Waiting', '', 'waiting');
  } else {
    addFact('Overlaps', '', 'overlapped');
  }
  for (const part of document.querySelectorAll('.plan')) part.hidden = !isPlan;
  for (const part of document.querySelectorAll('.closing')) part.hidden = closures.length === 0;
  if (isPlan) {
    byId('window').max = Math.max(32, data.window);
    setWindow(data.window || 8);
    byId('reservations').checked = show.reservations = data.showsReservations;
  }
  stage.setAttribute('aria-label', `${tracks.length} robots on a map of ${data.width} by ${data.height} cells`);
  readTheme();
  paintGrid();
  camera.fitted = camera.scale;
  resize();
  fit();
  byId('play').addEventListener('click', () => setPlaying(!isPlaying));
  byId('time').addEventListener('input', event => { setPlaying(false); seek(Number(event.target.value)); });
  byId('speed').addEventListener('change', event => setSpeed(Number(event.target.value)));
  byId('robot').addEventListener('change', ({target}) => choose(target.value === '' ? -1 : Number(target.value)));
  byId('follow').addEventListener('change', refresh);
  for (const name of ['labels', 'goals', 'paths', 'waits', 'closures', 'reservations']) {
    byId(name).addEventListener('change', event => { show[name] = event.target.checked; refresh(); });
  }
  byId('window').addEventListener('input', event => setWindow(Number(event.target.value)));
  byId('fit').addEventListener('click', fit);
  byId('keys').addEventListener('click', toggleHelp);
  new ResizeObserver(resize).observe(stage);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readTheme(); paintGrid(); resize(); });
  const wish = new URLSearchParams(location.hash.slice(1));
  if (wish.has('selftest')) return selfTest();
  if (wish.has('robot')) choose(Number(wish.get('robot')));
  const opensAt = data.at >= 0 && !wish.has('t') ? data.at : Number(wish.get('t') || 0) / data.secondsPerUnit;
  seek(opensAt);
  if (!wish.has('t') && !(data.at >= 0) && !isStill) setPlaying(true);
}

openPage();
