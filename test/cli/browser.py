"""A page in a real browser, driven from a test: keys, pointer, and questions to its scripts.

Chromium's debugging protocol over a pair of pipes: messages of JSON, each ended by a zero byte. Needs nothing but Chromium.
"""

import json
import os
import select
import subprocess
import time

KEYS = {'ArrowRight': 39, 'ArrowLeft': 37, 'Home': 36, 'End': 35, 'Escape': 27}


class Page:
    def __init__(self, program, folder, address, size=(1000, 700)):
        self.errors = []  # uncaught exceptions, and what was logged as an error or a warning
        self._buffer = b''
        self._count = 0
        in_read, self._out = os.pipe()
        self._in, out_write = os.pipe()

        def place_pipes():  # where the browser looks for them; by way of high numbers, so that neither is overwritten
            os.dup2(in_read, 203)
            os.dup2(out_write, 204)
            os.dup2(203, 3)
            os.dup2(204, 4)

        self._process = subprocess.Popen(
            [program, '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe',
             f'--user-data-dir={folder}', f'--window-size={size[0]},{size[1]}', 'about:blank'],
            preexec_fn=place_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(in_read)
        os.close(out_write)
        targets = self.call('Target.getTargets', session=None)['targetInfos']
        target = next(target['targetId'] for target in targets if target['type'] == 'page')
        self._session = self.call('Target.attachToTarget', session=None, targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log'):
            self.call(domain + '.enable')
        self.call('Page.navigate', url=address)
        self.wait('document.readyState === "complete" && typeof openPage === "function"')

    def close(self):
        try:
            self.call('Browser.close', session=None)
            self._process.wait(20)
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._in)
            os.close(self._out)

    def _receive(self, seconds=60):
        end = time.monotonic() + seconds
        while b'\0' not in self._buffer:
            left = end - time.monotonic()
            assert left > 0 and select.select([self._in], [], [], left)[0], 'the browser does not answer'
            data = os.read(self._in, 1 << 20)
            assert data, 'the browser has gone'
            self._buffer += data
        message, self._buffer = self._buffer.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, session='', **parameters):
        self._count += 1
        request = {'id': self._count, 'method': method, 'params': parameters}
        if session is not None:
            request['sessionId'] = self._session
        os.write(self._out, json.dumps(request).encode() + b'\0')
        while True:
            message = self._receive()
            self._note(message)
            if message.get('id') == self._count:
                assert 'error' not in message, f'{method}: {message["error"]}'
                return message['result']

    def _note(self, message):
        method, parameters = message.get('method'), message.get('params', {})
        if method == 'Runtime.exceptionThrown':
            self.errors.append(parameters['exceptionDetails'])
        elif method == 'Runtime.consoleAPICalled' and parameters['type'] in ('error', 'warning', 'assert'):
            self.errors.append(parameters['args'])
        elif method == 'Log.entryAdded' and parameters['entry']['level'] in ('error', 'warning'):
            self.errors.append(parameters['entry'])

    def ask(self, expression):
        """The value of an expression in the page's scripts; a promise is awaited."""
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        assert 'exceptionDetails' not in answer, f'{expression}: {answer["exceptionDetails"]}'
        return answer['result'].get('value')

    def wait(self, expression, seconds=30):
        end = time.monotonic() + seconds
        while not self.ask(expression):
            assert time.monotonic() < end, f'never true: {expression}'
            time.sleep(0.02)

    def press(self, key):
        """A key as a person presses it."""
        code = KEYS.get(key) or ord(key.upper())
        text = {} if key in KEYS else {'text': key}
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, windowsVirtualKeyCode=code, **text)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key, windowsVirtualKeyCode=code)

    def click(self, identity):
        """A click into the middle of an element."""
        box = self.ask(f'(r => [r.x + r.width / 2, r.y + r.height / 2])('
                       f'document.getElementById({json.dumps(identity)}).getBoundingClientRect())')
        self.click_at(*box)

    def click_at(self, x, y):
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)

    def point_at(self, x, y):
        """The pointer goes there, in pixels of the page."""
        self.call('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)

    def see(self):
        """Waits until what was asked for has been drawn."""
        self.ask('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
