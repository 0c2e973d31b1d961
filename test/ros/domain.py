"""A ROS domain for these tests alone. CTest proposes one that depends on the place of the build, but two checkouts may be
proposed the same, and their nodes would talk to each other."""
import fcntl
import os
import tempfile

DOMAINS = 100  # 1 to 100 is what Linux's port range allows


def take_domain():
    """Sets ROS_DOMAIN_ID to the proposed domain, or to the next that no other test has. The lock is the file's that is
    returned: it goes with the process, however that ends."""
    proposed = int(os.environ.get('ROS_DOMAIN_ID') or 1)
    for offset in range(DOMAINS):
        domain = (proposed - 1 + offset) % DOMAINS + 1
        try:
            lock = open(os.path.join(tempfile.gettempdir(), f'fleetweave-ros-domain-{domain}.lock'), 'a')
        except PermissionError:  # of another user
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        os.environ['ROS_DOMAIN_ID'] = str(domain)
        return lock
    raise RuntimeError(f'all ROS domains from 1 to {DOMAINS} are in use by tests')
