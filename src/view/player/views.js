// Where things are on the screen. The stage is cut into a view for each scene, beside each other or one above the
// other, whichever shows the map larger; one camera looks into all of them.

const byId = id => document.getElementById(id);
const stage = byId('stage');
const pen = stage.getContext('2d');
const camera = {x: data.width / 2, y: data.height / 2, scale: 1, fitted: 1};  // middle in cells, pixels per cell
const gap = 12;  // pixels between two views
// The view of `scene`, in pixels of the stage; drawing begins at its corner.
let view = {left: 0, top: 0, width: 1, height: 1};

const screenX = x => (x - camera.x) * camera.scale + view.width / 2;
const screenY = y => (y - camera.y) * camera.scale + view.height / 2;
const worldX = px => (px - view.width / 2) / camera.scale + camera.x;
const worldY = py => (py - view.height / 2) / camera.scale + camera.y;

function fitScale(width, height) {
  return Math.min((width - 16) / data.width, (height - 16) / data.height);
}

// Where two scenes go, the captions of each above its own view.
function arrange() {
  const width = stage.clientWidth, height = stage.clientHeight, count = scenes.length;
  const half = (whole, parts) => (whole - gap * (parts - 1)) / parts;
  const captionHeight = () => Math.max(...scenes.map(one => one.caption.offsetHeight));
  const place = isRow => scenes.forEach((one, i) => {
    const columns = isRow ? count : 1, rows = isRow ? 1 : count;
    const left = isRow ? i * (half(width, columns) + gap) : 0, top = isRow ? 0 : i * (half(height, rows) + gap);
    if (count > 1) {
      const style = {left: left + 'px', top: top + 'px', width: half(width, columns) + 'px'};
      Object.assign(one.caption.style, style);
    }
    const head = count > 1 ? captionHeight() : 0;
    one.view = {
      left, top: top + head, width: Math.max(1, half(width, columns)), height: Math.max(1, half(height, rows) - head)};
  });
  const score = isRow => {
    place(isRow);
    place(isRow);  // captions have their height only after they have their width
    return fitScale(scenes[0].view.width, scenes[0].view.height);
  };
  if (score(false) <= score(true) || count === 1) return;
  score(false);
}

// Draws, or asks, in the view of each scene.
function inEachView(visit) {
  inEach(one => {
    view = one.view;
    visit(one);
  });
  view = scene.view;
}

// The scene under a point of the stage, and the point in its view.
function sceneAt(px, py) {
  const isIn = ({left, top, width, height}) => px >= left && px < left + width && py >= top && py < top + height;
  const found = scenes.find(one => isIn(one.view)) || scenes[0];
  return {found, x: px - found.view.left, y: py - found.view.top};
}
