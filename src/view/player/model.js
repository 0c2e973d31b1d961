'use strict';
// The data of the page, decoded. From here on positions are in cells with y downwards on the screen, whatever the
// convention of the file, and times are in units of the data (`seconds(t)` gives seconds).
//
// A page has one scene, or two beside each other: each a fleet on the same map. Functions read and draw `scene`;
// `inEach` sets it to one after the other.

const data = JSON.parse(document.getElementById('data').textContent);

// Base64 VLQ, as in source maps: 5 bits a character, lowest first, bit 5 says "more follow", bit 0 of the sum the sign.
function decode(text) {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const values = decode.values ||= (() => {
    const table = new Uint8Array(128);
    for (let i = 0; i < 64; i++) table[digits.charCodeAt(i)] = i;
    return table;
  })();
  const numbers = new Int32Array(text.length);
  let count = 0, sum = 0, shift = 0;
  for (let i = 0; i < text.length; i++) {
    const value = values[text.charCodeAt(i)];
    sum += (value & 31) << shift;
    shift += 5;
    if (value < 32) {
      numbers[count++] = sum & 1 ? -(sum >>> 1) : sum >>> 1;
      sum = shift = 0;
    }
  }
  return numbers.subarray(0, count);
}

// Index of the last entry of a rising array that is not above t, -1 if there is none.
function lastNotAbove(times, t) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1; else high = middle;
  }
  return low - 1;
}

const cellX = units => units / data.unitsPerCell + data.cellOffset;
const cellY = units => {
  const y = units / data.unitsPerCell + data.cellOffset;
  return data.isRow0Below ? data.height - y : y;
};
const seconds = t => t * data.secondsPerUnit;

function decodeTrack(text, hasYaw, isTurning) {
  const numbers = decode(text), stride = hasYaw ? 4 : 3, count = numbers.length / stride;
  const track = {
    times: new Int32Array(count), xs: new Float32Array(count), ys: new Float32Array(count),
    yaws: isTurning ? new Float32Array(count) : null,  // null: it has no heading
    goals: {times: [], xs: [], ys: []}, arrivals: [],
  };
  let t = 0, x = 0, y = 0, yaw = 0;
  for (let i = 0, at = 0; i < count; i++, at += stride) {
    track.times[i] = t += numbers[at];
    track.xs[i] = cellX(x += numbers[at + 1]);
    track.ys[i] = cellY(y += numbers[at + 2]);
    if (isTurning) track.yaws[i] = (yaw += numbers[at + 3]) / 1000 * (data.isRow0Below ? -1 : 1);
  }
  return track;
}

function decodeEvents(source, {tracks, arrivalTimes, overlaps}) {
  const goals = decode(source.goals), arrivals = decode(source.arrivals), pairs = decode(source.overlaps);
  for (let i = 0, t = 0; i < goals.length; i += 4) {
    const list = tracks[goals[i + 1]].goals;
    list.times.push(t += goals[i]);
    list.xs.push(cellX(goals[i + 2]));
    list.ys.push(cellY(goals[i + 3]));
  }
  for (let i = 0, t = 0; i < arrivals.length; i += 2) {
    arrivalTimes.push(t += arrivals[i]);
    tracks[arrivals[i + 1]].arrivals.push(t);
  }
  for (let i = 0, t = 0; i < pairs.length; i += 3) {
    overlaps.times.push(t += pairs[i]);
    overlaps.robots.push(pairs[i + 1]);
    overlaps.others.push(pairs[i + 2]);
  }
}

const isPlan = data.kind === 'plan';
const scenes = data.scenes.map((source, index) => {
  const isTurning = robot => source.hasYaw && (!isPlan || source.turning[robot] === '1');
  const made = {
    source, index, name: source.name, end: source.end, arrivalTimes: [], overlaps: {times: [], robots: [], others: []},
    tracks: source.tracks.map((code, robot) => decodeTrack(code, source.hasYaw, isTurning(robot))),
  };
  decodeEvents(source, made);
  return made;
});
let end = Math.max(...scenes.map(one => one.end));
const robotCount = Math.max(...scenes.map(one => one.tracks.length));
let scene = scenes[0];

function inEach(visit) {
  const before = scene;
  for (scene of scenes) visit(scene);
  scene = before;
}

// Where a robot is at time t, into `pose` (one object for all, so that a frame makes no garbage).
function poseAt(track, t, pose) {
  const i = lastNotAbove(track.times, t);
  const a = Math.max(i, 0), b = Math.min(i + 1, track.times.length - 1);
  const span = track.times[b] - track.times[a];
  const part = i < 0 || span <= 0 ? 0 : (t - track.times[a]) / span;
  pose.x = track.xs[a] + (track.xs[b] - track.xs[a]) * part;
  pose.y = track.ys[a] + (track.ys[b] - track.ys[a]) * part;
  pose.yaw = track.yaws ? track.yaws[a] + (track.yaws[b] - track.yaws[a]) * part : 0;
  return pose;
}

// Index into track.goals of the goal in force at time t, -1 if there is none yet.
const goalAt = (track, t) => lastNotAbove(track.goals.times, t);

// Hues by the golden angle: neighbours in number differ most. Lightness takes turns, for more robots than hues.
// Numbers on the discs are black or white, whichever reads better (relative luminance).
const hues = Array.from({length: robotCount}, (_, i) => (
  {hue: (i * 137.508) % 360, saturation: [70, 55, 80][i % 3], light: [46, 60, 38][i % 3]}));
const colours = hues.map(({hue, saturation, light}) => `hsl(${hue} ${saturation}% ${light}%)`);
const inks = hues.map(({hue, saturation, light}) => {
  const l = light / 100, a = saturation / 100 * Math.min(l, 1 - l);
  const linear = n => {  // a channel of sRGB, made linear
    const k = (n + hue / 30) % 12;
    return (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))) ** 2.2;
  };
  return 0.2126 * linear(0) + 0.7152 * linear(8) + 0.0722 * linear(4) > 0.22 ? '#111' : '#fff';
});
