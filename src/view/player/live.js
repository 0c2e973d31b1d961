// A fleet that drives now. The page begins with the present poses; what happens from then on comes from the server of the
// page, ten times a second, as JSON events:
//
//   {"robots": {"3": {"pose": [ms, x, y, yaw], "goal": [ms, x, y], "path": [x, y, …], "released": [x, y, …]}},
//    "facts": {"Goals reached": "12"}}          metres on the map, as in a recorded run; only what has changed
//
// The time of the page follows the latest event by `lag`, so that motion is even although events come in bursts. Seeking
// back leaves this live edge; the button `Live` returns to it. An event `end` ends it: the page is then that of a run.

const isLive = data.kind === 'live';
const live = {isAtEdge: isLive, edge: 0, wall: 0, rate: 1, state: 'connecting'};
const lag = 300, keyframesMax = 20000, straightMs = 2000, tolerance = 0.005;

const liveX = metres => metres / data.metresPerCell;
const liveY = metres => data.isRow0Below ? data.height - metres / data.metresPerCell : metres / data.metresPerCell;

// Replaces the typed arrays of a track by arrays that can grow.
function makeGrowable(track) {
  for (const name of ['times', 'xs', 'ys', 'yaws']) track[name] = Array.from(track[name]);
  track.path = track.released = [];
}

// Whether the robot stands, or the last keyframe lies on the even motion from the one before it to (t, x, y, yaw).
function isOnLine({times, xs, ys, yaws}, t, x, y, yaw) {
  const b = times.length - 1, a = b - 1, part = (times[b] - times[a]) / (t - times[a]);
  const isMet = (list, value) => Math.abs(list[a] + (value - list[a]) * part - list[b]) <= tolerance;
  const isStill = x === xs[b] && x === xs[a] && y === ys[b] && y === ys[a] && yaw === yaws[b] && yaw === yaws[a];
  return isStill || (t - times[a] < straightMs && isMet(xs, x) && isMet(ys, y) && isMet(yaws, yaw));
}

function takePose(track, [t, mx, my, turned]) {
  const {times, xs, ys, yaws} = track, last = times.length - 1;
  if (t <= times[last]) return;
  const x = liveX(mx), y = liveY(my);
  let yaw = data.isRow0Below ? -turned : turned;
  yaw += 2 * Math.PI * Math.round((yaws[last] - yaw) / (2 * Math.PI));  // unwrap: no spin at ±180°
  if (last > 0 && isOnLine(track, t, x, y, yaw)) {
    for (const list of [times, xs, ys, yaws]) list.pop();
  }
  times.push(t);
  xs.push(x);
  ys.push(y);
  yaws.push(yaw);
  if (times.length > keyframesMax) for (const list of [times, xs, ys, yaws]) list.splice(0, keyframesMax / 2);
  end = scene.end = Math.max(end, t);
}

// After a reconnect the server sends everything again.
function takeGoal({goals}, [t, x, y]) {
  if (t <= goals.times[goals.times.length - 1]) return;
  goals.times.push(t);
  goals.xs.push(liveX(x));
  goals.ys.push(liveY(y));
}

const takeLine = numbers => numbers.map((number, i) => i % 2 ? liveY(number) : liveX(number));

function takeEvent(event) {
  const {robots = {}, facts = {}} = JSON.parse(event.data), before = end, now = performance.now();
  for (const [robot, news] of Object.entries(robots)) {
    const track = scene.tracks[robot];
    if (news.pose) takePose(track, news.pose);
    if (news.goal) takeGoal(track, news.goal);
    if (news.path) track.path = takeLine(news.path);
    if (news.released) track.released = takeLine(news.released);
  }
  for (const [name, value] of Object.entries(facts)) {
    const id = 'fact' + name.replace(/\W/g, '');
    if (!byId(id)) addFact(name, '', id);
    setFact(id, value, name === 'Overlaps' && value !== '0');
  }
  if (end > before) {
    const rate = (end - live.edge) / Math.max(1, now - live.wall);
    if (live.wall > 0 && rate > 0 && rate < 100) live.rate += 0.1 * (rate - live.rate);
    Object.assign(live, {edge: end, wall: now});
    byId('time').max = end;
  }
  setLiveState('live');
  refresh();
}

function setLiveState(state) {
  live.state = state;
  byId('liveState').textContent =
    state !== 'live' ? state : live.isAtEdge ? 'live' : `live, ${secondsText(Math.max(0, end - show.t))} behind`;
}

// In place of `advance` of a recorded run.
function advanceLive(elapsed) {
  if (!live.isAtEdge) {
    show.t += elapsed * speed / data.secondsPerUnit;
    if (show.t >= end - lag) live.isAtEdge = true;
  }
  if (live.isAtEdge && live.state === 'live') {
    const due = live.edge + (performance.now() - live.wall) * live.rate - lag * live.rate;
    if (Math.abs(due - show.t) > 2000) show.t = due;
    show.t = Math.max(show.t, Math.min(end, due));
  }
  show.t = Math.max(0, Math.min(end, show.t));
  byId('time').value = show.t;
  setLiveState(live.state);
}

function goToEdge() {
  live.isAtEdge = true;
  show.t = Math.max(0, end - lag);
  setPlaying(true);
}

// The rest of a line from its point nearest to the robot.
function traceRest(line) {
  let nearest = Infinity, first = 0;
  for (let i = 0; i < line.length; i += 2) {
    const distance = (line[i] - pose.x) ** 2 + (line[i + 1] - pose.y) ** 2;
    if (distance <= nearest) [nearest, first] = [distance, i];
  }
  pen.beginPath();
  pen.moveTo(screenX(pose.x), screenY(pose.y));
  for (let i = first; i < line.length; i += 2) pen.lineTo(screenX(line[i]), screenY(line[i + 1]));
  pen.stroke();
}

// The planned path is thin, the released path strong.
function drawLivePath(track) {
  poseAt(track, show.t, pose);
  traceRest(track.released);
  pen.lineWidth *= 0.4;
  traceRest(track.path);
}

function openLive() {
  scene.tracks.forEach(makeGrowable);
  advance = advanceLive;
  byId('edge').addEventListener('click', goToEdge);
  const source = new EventSource('events');
  source.onmessage = takeEvent;
  source.onerror = () => setLiveState('connection lost');  // the browser tries again by itself
  source.addEventListener('end', () => {
    source.close();
    live.isAtEdge = false;
    setLiveState('ended');
    seek(end);
    setPlaying(false);
  });
  setPlaying(true);
}
