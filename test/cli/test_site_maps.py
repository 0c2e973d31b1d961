"""Maps as sites have them: map_server's YAML with PGM or PNG, masks over them, and costs of terrain."""
import json
import struct
import zlib

import pytest


def write_pgm(folder, rows, name='site', resolution=1.0, binary=True, white=255, **more):
    """rows: upper row first, '.' white, '#' black, '?' grey, or numbers from 0 to `white`."""
    shades = {'.': white, '#': 0, '?': white * 205 // 255}
    values = [[shades[c] for c in row] if isinstance(row, str) else row for row in rows]
    head = f'{"P5" if binary else "P2"}\n# made by a test\n{len(values[0])} {len(values)}\n{white}\n'
    size = 2 if white > 255 else 1
    body = (b''.join(v.to_bytes(size, 'big') for row in values for v in row) if binary
            else '\n'.join(' '.join(map(str, row)) for row in values).encode())
    (folder / f'{name}.pgm').write_bytes(head.encode() + body)
    keys = {'image': f'{name}.pgm', 'resolution': resolution, 'origin': '[0.0, 0.0, 0.0]', **more}
    path = folder / f'{name}.yaml'
    path.write_text(''.join(f'{key}: {value}\n' for key, value in keys.items() if value is not None))
    return path.name


def write_png(folder, rows, name):
    """8 bit grey, or with alpha if a row has pairs."""
    has_alpha = isinstance(rows[0][0], tuple)
    raw = b''.join(b'\0' + b''.join(bytes(v) if has_alpha else bytes([v]) for v in row) for row in rows)

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    header = struct.pack('>IIBBBBB', len(rows[0]), len(rows), 8, 4 if has_alpha else 0, 0, 0, 0)
    (folder / name).write_bytes(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'IDAT', zlib.compress(raw))
                                + chunk(b'IEND', b''))


def route(cli, *arguments, exit_code=0):
    return json.loads(cli('route', *arguments, '--json', exit_code=exit_code).stdout)


def way(cli, *arguments, start='0,0', goal='4,0'):
    found = route(cli, '--from', start, '--to', goal, '--connectivity', 4, *arguments)
    return [tuple(cell) for cell in found['routes'][0]['cells']]


@pytest.mark.parametrize('binary, white', [(True, 255), (False, 255), (True, 65535), (False, 15)])
def test_the_lowest_row_of_the_image_is_row_0(cli, tmp_path, binary, white):
    name = write_pgm(tmp_path, ['.....', '.###.', '.....'], binary=binary, white=white)
    assert way(cli, '--map', name) == [(x, 0) for x in range(5)]
    name = write_pgm(tmp_path, ['.....', '.....', '..#..'], binary=binary, white=white)
    assert (2, 1) in way(cli, '--map', name)
    assert (2, 0) not in way(cli, '--map', name)


def test_modes_and_thresholds_are_those_of_map_server(cli, tmp_path):
    """Shades 255, 205, 100 and 0: free, unknown in trinary and dear in scale, dearer, occupied."""
    rows = [[255] * 5, [255, 205, 100, 0, 255]]
    free = {'trinary': {(0, 0), (4, 0)}, 'scale': {(0, 0), (1, 0), (2, 0), (4, 0)}}
    for mode, expected in free.items():
        name = write_pgm(tmp_path, rows, mode=mode, occupied_thresh=0.65, free_thresh=0.1)
        for x in range(5):
            done = cli('route', '--map', name, '--map-cost', 90, '--from', f'{x},0', '--to', '0,1', exit_code=None)
            assert (done.returncode == 0) == ((x, 0) in expected), (mode, x, done.stderr)
    name = write_pgm(tmp_path, [[255] * 5, [255, 205, 100, 0, 255]], negate=1)
    assert way(cli, '--map', name, start='3,0', goal='3,0') == [(3, 0)]
    # raw: the pixels are the occupancy
    name = write_pgm(tmp_path, [[0, 0, 0], [0, 100, 0]], mode='raw')
    assert (1, 1) in way(cli, '--map', name, start='0,0', goal='2,0')
    name = write_pgm(tmp_path, [[0, 0, 0], [0, 10, 0]], mode='raw')
    assert way(cli, '--map', name, start='0,0', goal='2,0') == [(0, 0), (1, 0), (2, 0)]


def test_scale_gives_costs(cli, tmp_path):
    name = write_pgm(tmp_path, [[255] * 5, [255, 255, 140, 255, 255]], mode='scale')
    assert (2, 1) in way(cli, '--map', name, '--map-cost', 90), 'around the dear cell'
    name = write_pgm(tmp_path, [[255, 0, 0, 0, 255], [255, 255, 140, 255, 255]], mode='scale')
    assert (2, 0) in way(cli, '--map', name, '--map-cost', 90), 'there is no other way'


def test_cells_and_discs(cli, tmp_path):
    """An aisle of 6 pixels of 0.1 m holds a robot of radius 0.2 m in cells of 0.5 m, and none of 0.35 m."""
    rows = ['.' * 40] * 2 + ['#' * 40] * 7 + ['.' * 40] * 6 + ['#' * 40] * 5
    name = write_pgm(tmp_path, rows, resolution=0.1)
    fits = ['--map', name, '--cell-size', 0.5, '--from', '0,1', '--to', '6,1']
    assert route(cli, *fits, '--robot-radius', 0.2)['routes'][0]['cells'][-1] == [6, 1]
    assert cli('route', *fits, '--robot-radius', 0.35, exit_code=None).returncode != 0


def test_masks_of_another_frame(cli, tmp_path):
    """A keepout turned by 45 degrees over the middle of the hall; then only dear."""
    name = write_pgm(tmp_path, ['.........'] * 9)
    mask = write_pgm(tmp_path, ['###'] * 3, 'mask', resolution=0.5, origin='[4.5, 0.0, 0.785398]')
    straight = [(x, 1) for x in range(9)]
    assert way(cli, '--map', name, start='0,1', goal='8,1') == straight
    around = way(cli, '--map', name, '--keepout', mask, start='0,1', goal='8,1')
    assert len(around) > 9 and not {(3, 1), (4, 1), (5, 1), (4, 0), (4, 2)} & set(around)
    dear = way(cli, '--map', name, '--costs', mask, start='0,1', goal='8,1')
    assert not {(4, 0), (4, 1)} & set(dear)
    assert way(cli, '--map', name, '--costs', mask, '--mask-cost', 0, start='0,1', goal='8,1') == straight
    # The same over a MovingAI map and over a generated one, and in a plan with its check and its picture.
    (tmp_path / 'hall.map').write_text('type octile\nheight 9\nwidth 9\nmap\n' + ('.' * 9 + '\n') * 9)
    assert way(cli, '--map', 'hall.map', '--keepout', mask, start='0,1', goal='8,1') == around
    assert way(cli, '--make', 'open:9x9', '--keepout', mask, start='0,1', goal='8,1') == around
    (tmp_path / 'one.scen').write_text('version 1\n0\tsite\t9\t9\t0\t1\t8\t1\t8\n')
    common = ['--map', name, '--keepout', mask]
    cli('plan', *common, '--scen', 'one.scen', '-o', 'plan.txt')
    cli('check', *common, 'plan.txt')
    cli('view', *common, 'plan.txt', '-o', 'plan.svg')
    assert '<svg' in (tmp_path / 'plan.svg').read_text()
    cli('plan', '--map', name, '--scen', 'one.scen', '-o', 'through.txt')
    assert cli('check', *common, 'through.txt', exit_code=None).returncode != 0, 'it leads through the keepout'


def test_terrain_letters(cli, tmp_path):
    (tmp_path / 'wet.map').write_text('type octile\nheight 3\nwidth 5\nmap\n.SWS.\n.@@@.\n.....\n')
    assert (2, 2) in way(cli, '--map', 'wet.map'), 'water is blocked'
    assert (2, 0) in way(cli, '--map', 'wet.map', '--terrain', 'W=1')
    assert (2, 2) in way(cli, '--map', 'wet.map', '--terrain', 'W=9,S=2'), 'dear'
    assert (1, 0) not in way(cli, '--map', 'wet.map', '--terrain', 'S=0,W=1')
    for bad in ('W', 'W=256', 'W=4294967297', 'W=-1', 'WW=3', 'W=1;S=2'):
        assert '--terrain' in cli('route', '--map', 'wet.map', '--terrain', bad, exit_code=2).stderr


@pytest.mark.parametrize('more, text', [
    ({'image': 'none.pgm'}, 'none.pgm: the image cannot be opened'), ({'image': None}, "'image' is missing"),
    ({'resolution': 0}, "site.yaml:2: resolution cannot be '0'"), ({'resolution': None}, "'resolution' is missing"),
    ({'origin': '[1, 2]'}, 'site.yaml:3: origin must be a list of three numbers'), ({'origin': None}, "'origin' is missing"),
    ({'mode': 'colour'}, "mode cannot be 'colour'"), ({'negate': 2}, "negate cannot be '2'"),
    ({'free_thresh': 0.9}, 'free_thresh must be below occupied_thresh'),
])
def test_bad_yaml_is_named(cli, tmp_path, more, text):
    name = write_pgm(tmp_path, ['...'], **more)
    assert text in cli('route', '--map', name, '--from', '0,0', '--to', '1,0', exit_code=3).stderr


@pytest.mark.parametrize('data', [b'', b'P6\n1 1\n255\n...', b'P5\n3 1\n255\n..', b'P5\n3\n', b'P2\n3 1\n255\n1 2 256',
                                  b'P5\n0 3\n255\n', b'P5\n99999999 1\n255\n.', b'P5\n3 1\n70000\n...'])
def test_damaged_images_are_refused(cli, tmp_path, data):
    name = write_pgm(tmp_path, ['...'])
    (tmp_path / 'site.pgm').write_bytes(data)
    assert 'site.pgm: ' in cli('route', '--map', name, '--from', '0,0', '--to', '1,0', exit_code=3).stderr


def test_images_have_a_largest_size(cli, tmp_path):
    name = write_pgm(tmp_path, ['...'])
    for width, height in ((65537, 1), (1, 65537), (65536, 4097)):
        (tmp_path / 'site.pgm').write_bytes(f'P5\n{width} {height}\n255\n'.encode())
        said = cli('route', '--map', name, '--from', '0,0', '--to', '1,0', exit_code=3).stderr
        assert 'each side must be 1 to 65536, and all at most 268435456' in said


def test_png(cli, tmp_path):
    """With libpng; a program without it says so."""
    name = write_pgm(tmp_path, ['...'], image='site.png')
    write_png(tmp_path, [[255] * 5, [255, 255, 0, 255, 255]], 'site.png')
    done = cli('route', '--map', name, '--from', '0,0', '--to', '4,0', '--connectivity', 4, '--json', exit_code=None)
    if 'built without libpng' in done.stderr:
        pytest.skip('no libpng')
    assert [2, 1] in json.loads(done.stdout)['routes'][0]['cells']
    # In mode scale what is transparent is unknown.
    name = write_pgm(tmp_path, ['...'], image='site.png', mode='scale')
    write_png(tmp_path, [[(255, 255)] * 3, [(255, 255), (255, 10), (255, 255)]], 'site.png')
    assert (1, 1) in way(cli, '--map', name, goal='2,0')
    (tmp_path / 'site.png').write_bytes(b'no image')
    assert 'site.png: ' in cli('route', '--map', name, '--from', '0,0', '--to', '1,0', exit_code=3).stderr
