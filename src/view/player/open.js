// Opens the page: sets the controls from the data and starts playing.

// `page.html#selftest` goes through the whole of the data, plays the last moments and writes down what it found; tests
// read the attribute. `#t=12.5&robot=3` opens at a moment (in seconds) with a robot chosen.
function selfTest() {
  const {tracks, overlaps} = scene;
  const report = {
    scenes: scenes.length, robots: tracks.length, end, keyframes: 0, onGoal: 0, outside: 0,
    overlaps: overlaps.times.length,
  };
  for (const track of tracks) {
    report.keyframes += track.times.length;
    for (let i = 0; i < track.times.length; i++) {
      const x = track.xs[i], y = track.ys[i];
      if (!(x >= 0 && y >= 0 && x <= data.width && y <= data.height)) report.outside++;
    }
    const goal = goalAt(track, end);
    poseAt(track, end, pose);
    if (goal >= 0 && Math.hypot(pose.x - track.goals.xs[goal], pose.y - track.goals.ys[goal]) < 0.01) report.onGoal++;
  }
  report.halfway = tracks.slice(0, 4).map(track => {
    poseAt(track, end / 2, pose);
    return [pose.x, pose.y].map(value => Math.round(value * 1000) / 1000);
  });
  report.firstWall = gridImage.getContext('2d').getImageData(0, 0, gridImage.width, gridImage.height).data
    .findIndex((value, i) => i % 4 === 3 && value === 255) >> 2;  // the first opaque pixel, row by row
  // A page in the background gets no frames, so time them.
  requestFrame = callback => setTimeout(() => callback(performance.now()), 16);
  isFramePending = false;
  choose(0);
  show.paths = show.labels = true;
  setSpeed(16);
  seek(end - 1 / data.secondsPerUnit);
  setPlaying(true);
  (function wait() {
    if (isPlaying) return setTimeout(wait, 20);
    report.played = show.t;
    report.arrived = lastNotAbove(scene.arrivalTimes, show.t) + 1;
    report.pixel = [...pen.getImageData(0, 0, 1, 1).data];
    document.body.dataset.selftest = JSON.stringify(report);
  })();
}

function listen() {
  byId('play').addEventListener('click', () => setPlaying(!isPlaying));
  byId('time').addEventListener('input', event => { setPlaying(false); seek(Number(event.target.value)); });
  byId('speed').addEventListener('change', event => setSpeed(Number(event.target.value)));
  byId('robot').addEventListener('change', ({target}) => choose(target.value === '' ? -1 : Number(target.value)));
  byId('follow').addEventListener('change', refresh);
  for (const name of ['labels', 'goals', 'paths', ...layers.map(layer => layer.name)]) {
    byId(name).addEventListener('change', event => { show[name] = event.target.checked; refresh(); });
  }
  byId('window').addEventListener('input', event => setWindow(Number(event.target.value)));
  byId('fit').addEventListener('click', fit);
  byId('keys').addEventListener('click', toggleHelp);
  new ResizeObserver(resize).observe(stage);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readTheme(); paintGrid(); resize(); });
}

// A checkbox for each layer that has something to draw, and the keys in the help.
function addLayers() {
  for (const {name, isEmpty} of layers) {
    const label = document.createElement('label'), box = document.createElement('input');
    Object.assign(box, {id: name, type: 'checkbox', checked: show[name]});
    label.append(box, ' ' + name);
    label.hidden = Boolean(isEmpty && isEmpty());
    byId('layers').append(label);
  }
  byId('layerKeys').textContent = layers.map(({key}) => key.toUpperCase()).join(', ');
  byId('layerNames').textContent = layers.map(({name}) => name).join(', ');
}

function openPage() {
  for (const value of speeds) byId('speed').add(new Option(value + '×', value));
  const duration = seconds(end);
  setSpeed(isPlan ? speeds.find(value => value >= 1 && duration / value <= 60) || 16 : 1);
  byId('time').max = end || 1;
  byId('robot').max = robotCount - 1;
  byId('labels').checked = show.labels = robotCount <= 100;
  inEach(addCaption);
  addLayers();
  const hides = {
    plan: !isPlan, live: !isLive, closing: scenes.every(one => one.closures.length === 0),
    faulty: isLive || isPlan && !scenes.some(one => one.flaw && one.flaw.tick !== undefined),
  };
  for (const [name, isHidden] of Object.entries(hides)) {
    for (const part of document.querySelectorAll('.' + name)) part.hidden ||= isHidden;
  }
  if (isPlan) {
    byId('window').max = Math.max(32, data.window);
    setWindow(data.window || 8);
  }
  const fleets = scenes.map(one => `${one.tracks.length} robots`).join(' beside ');
  stage.setAttribute('aria-label', `${fleets} on a map of ${data.width} by ${data.height} cells`);
  readTheme();
  paintGrid();
  camera.fitted = camera.scale;
  resize();
  fit();
  listen();
  const wish = new URLSearchParams(location.hash.slice(1));
  if (isLive) return openLive();
  if (wish.has('selftest')) return selfTest();
  if (wish.has('robot')) choose(Number(wish.get('robot')));
  const opensAt = data.at >= 0 && !wish.has('t') ? data.at : Number(wish.get('t') || 0) / data.secondsPerUnit;
  seek(opensAt);
  if (!wish.has('t') && !(data.at >= 0) && !isStill) setPlaying(true);
}

openPage();
