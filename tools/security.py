#!/usr/bin/env python3
"""Keystore for the secured fleet: ./run security KEYSTORE makes keys, certificates, governance and permissions for DDS security.

The keystore has the layout that ROS 2 expects in ROS_SECURITY_KEYSTORE (the one of `ros2 security create_keystore`), and comes from
the policy in config/security/policy.xml: one enclave for each node, with permissions for what the node needs and nothing else.
openssl makes and signs everything. Existing keys are kept; permissions and governance are written anew, so a changed policy needs
one more call.

  KEYSTORE/public/*.cert.pem             certificates of the two authorities (identities, permissions)
  KEYSTORE/private/*.key.pem             their keys: whoever has them can let anybody in; needed only by this program
  KEYSTORE/enclaves/governance.p7s       what is encrypted and signed, for the whole domain
  KEYSTORE/enclaves/fleetweave/NODE/     key.pem, cert.pem, permissions.p7s: what the machine of that node needs
"""
import argparse
import datetime
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

TOP = pathlib.Path(__file__).resolve().parents[1]
POLICY = TOP / 'config/security/policy.xml'
RULES = {'topics': ('topic', ('publish', 'subscribe')), 'services': ('service', ('reply', 'request')),
         'actions': ('action', ('execute', 'call'))}
SCHEMA = 'http://www.omg.org/spec/DDS-SECURITY/20170901/omg_shared_ca_{}.xsd'


class Bad(Exception):
    """What is wrong, in words for the user."""


# ---- policy

def names_of(element, *allowed):
    wrong = set(element.attrib) - set(allowed)
    if wrong:
        raise Bad(f'<{element.tag}> has an attribute {sorted(wrong)[0]}')


def children(element, tag, at_least=1):
    found = list(element)
    wrong = [child.tag for child in found if child.tag != tag]
    if wrong:
        raise Bad(f'<{element.tag}> has a child <{wrong[0]}>: it can have <{tag}>')
    if len(found) < at_least:
        raise Bad(f'<{element.tag}> has no <{tag}>')
    return found


def check_policy(root):
    """The form of SROS2's policies, version 0.2.0. Raises Bad with what is wrong."""
    if root.tag != 'policy' or root.get('version') != '0.2.0':
        raise Bad('the root must be <policy version="0.2.0">')
    names_of(root, 'version')
    enclaves, = children(root, 'enclaves')[:1] if len(root) == 1 else [None]
    if enclaves is None:
        raise Bad('<policy> must have one <enclaves>')
    for enclave in children(enclaves, 'enclave'):
        names_of(enclave, 'path')
        if not re.fullmatch(r'(/[A-Za-z_]\w*)+', enclave.get('path', '')):
            raise Bad(f'an enclave cannot have the path {enclave.get("path")!r}')
        for profiles in children(enclave, 'profiles'):
            for profile in children(profiles, 'profile'):
                check_profile(profile)
    return root


def check_profile(profile):
    names_of(profile, 'ns', 'node')
    if not profile.get('ns', '').startswith('/') or not profile.get('node'):
        raise Bad('a <profile> needs a ns that begins with / and a node')
    for rules in profile:
        if rules.tag not in RULES:
            raise Bad(f'<profile> has a child <{rules.tag}>: it can have {", ".join(RULES)}')
        item, qualifiers = RULES[rules.tag]
        names_of(rules, *qualifiers)
        if not rules.attrib or set(rules.attrib.values()) - {'ALLOW', 'DENY'}:
            raise Bad(f'<{rules.tag}> needs {" or ".join(qualifiers)}, ALLOW or DENY')
        for expression in children(rules, item):
            if len(expression) or not re.fullmatch(r'[~/]?[\w*/]+', (expression.text or '').lstrip('~')):
                raise Bad(f'<{item}>{expression.text}</{item}> is no name')


def full_name(profile, name):
    """A name as the node resolves it, in the namespace of the profile."""
    base = profile.get('ns').rstrip('/')
    if name.startswith('/'):
        return name
    if name.startswith('~'):
        return f'{base}/{profile.get("node")}{name[1:]}'
    return f'{base}/{name}'


def permits(root, path):
    """What an enclave may do: {(kind, rule): set of expressions}, such as ('topic', 'publish')."""
    found = {}
    for enclave in root.iter('enclave'):
        if enclave.get('path') == path:
            for profile in enclave.iter('profile'):
                for rules in profile:
                    item, _ = RULES[rules.tag]
                    for rule, value in rules.attrib.items():
                        if value != 'ALLOW':
                            raise Bad('this program has no use for DENY: what is not allowed is denied')
                        names = found.setdefault((item, rule), set())
                        names |= {full_name(profile, expression.text) for expression in rules}
    if not found:
        raise Bad(f'the policy has no enclave {path}')
    return found


def matches(expression, name):
    """As DDS security compares: POSIX fnmatch, where * matches slashes, too."""
    return fnmatch.fnmatchcase(name, expression)


# ---- DDS topics

def dds_topics(permitted):
    """The DDS topics to publish and to subscribe to, by ROS 2's rules for the names of topics, services and actions."""
    publish, subscribe = {'ros_discovery_info'}, {'ros_discovery_info'}

    def service(name, serves):
        request, reply = f'rq{name}Request', f'rr{name}Reply'
        (publish if serves else subscribe).add(reply)
        (subscribe if serves else publish).add(request)

    for (item, rule), names in permitted.items():
        for name in names:
            if item == 'topic':
                (publish if rule == 'publish' else subscribe).add(f'rt{name}')
            elif item == 'service':
                service(name, rule == 'reply')
            else:
                for part in ('send_goal', 'cancel_goal', 'get_result'):
                    service(f'{name}/_action/{part}', rule == 'execute')
                for part in ('feedback', 'status'):
                    (publish if rule == 'execute' else subscribe).add(f'rt{name}/_action/{part}')
    return publish, subscribe


def with_names(permitted, robots):
    """The same for certain robots: "/*/odom" becomes one expression for each of them."""
    if not robots:
        return permitted
    return {key: {one for name in names for one in ([name.replace('/*/', f'/{robot}/', 1) for robot in robots]
                                                    if '/*/' in name else [name])}
            for key, names in permitted.items()}


def in_namespace(permitted, namespace):
    """The same below a namespace; names that all namespaces share (/tf, /rosout, …) stay."""
    shared = {'/tf', '/tf_static', '/clock', '/rosout', '/diagnostics', '/parameter_events', '/bond'}
    base = namespace.rstrip('/')
    return {key: {name if name in shared else base + name for name in names} for key, names in permitted.items()}


# ---- documents

def text_element(parent, tag, text):
    ElementTree.SubElement(parent, tag).text = str(text)


def document(kind):
    return ElementTree.Element('dds', {
        'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance', 'xsi:noNamespaceSchemaLocation': SCHEMA.format(kind)})


def xml_text(root):
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding='unicode') + '\n'


def governance(domain):
    """Nobody without a certificate takes part, everything is encrypted, and each topic is subject to permissions."""
    root = document('governance')
    rule = ElementTree.SubElement(ElementTree.SubElement(root, 'domain_access_rules'), 'domain_rule')
    text_element(ElementTree.SubElement(rule, 'domains'), 'id', domain)
    for tag, value in (('allow_unauthenticated_participants', 'false'), ('enable_join_access_control', 'true'),
                       ('discovery_protection_kind', 'ENCRYPT'), ('liveliness_protection_kind', 'ENCRYPT'),
                       ('rtps_protection_kind', 'SIGN')):
        text_element(rule, tag, value)
    topic = ElementTree.SubElement(ElementTree.SubElement(rule, 'topic_access_rules'), 'topic_rule')
    for tag, value in (('topic_expression', '*'), ('enable_discovery_protection', 'true'),
                       ('enable_liveliness_protection', 'true'), ('enable_read_access_control', 'true'),
                       ('enable_write_access_control', 'true'), ('metadata_protection_kind', 'ENCRYPT'),
                       ('data_protection_kind', 'ENCRYPT')):
        text_element(topic, tag, value)
    return xml_text(root)


def permissions(path, permitted, domain, validity):
    root = document('permissions')
    grant = ElementTree.SubElement(ElementTree.SubElement(root, 'permissions'), 'grant', {'name': path})
    text_element(grant, 'subject_name', f'CN={path}')
    times = ElementTree.SubElement(grant, 'validity')
    text_element(times, 'not_before', validity[0].strftime('%Y-%m-%dT%H:%M:%S'))
    text_element(times, 'not_after', validity[1].strftime('%Y-%m-%dT%H:%M:%S'))
    rule = ElementTree.SubElement(grant, 'allow_rule')
    text_element(ElementTree.SubElement(rule, 'domains'), 'id', domain)
    for tag, topics in zip(('publish', 'subscribe'), dds_topics(permitted)):
        listed = ElementTree.SubElement(ElementTree.SubElement(rule, tag), 'topics')
        for topic in sorted(topics):
            text_element(listed, 'topic', topic)
    text_element(grant, 'default', 'DENY')
    return xml_text(root)


# ---- keystore

def openssl(*words):
    done = subprocess.run(['openssl', *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Bad(f'openssl {words[0]}: {done.stderr.strip()}')
    return done.stdout


def write(path, text, mode=0o644):
    """Whole or not at all."""
    new = path.with_name(path.name + '.new')
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
    with os.fdopen(file, 'w') as stream:
        stream.write(text)
    os.replace(new, path)


def make_key(path):
    write(path, openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'), 0o600)


def make_authority(store, name, days):
    key, certificate = store / f'private/{name}_ca.key.pem', store / f'public/{name}_ca.cert.pem'
    if not key.exists() or not certificate.exists():
        make_key(key)
        write(certificate, openssl('req', '-x509', '-new', '-sha256', '-key', key, '-days', days, '-subj', f'/CN=fleetweave {name} CA',
                                   '-addext', 'keyUsage=critical,keyCertSign,digitalSignature'))
    return key, certificate


def make_identity(folder, path, authority, days):
    key, certificate = folder / 'key.pem', folder / 'cert.pem'
    if not key.exists() or not certificate.exists():
        make_key(key)
        subject = '/CN=' + path.replace('/', '\\/')
        request, extensions = folder / 'request.pem', folder / 'extensions'
        try:
            openssl('req', '-new', '-sha256', '-key', key, '-subj', subject, '-out', request)
            write(extensions, 'basicConstraints=CA:FALSE\n')
            write(certificate, openssl('x509', '-req', '-sha256', '-in', request, '-CA', authority[1], '-CAkey', authority[0],
                                       '-days', days, '-extfile', extensions))
        finally:
            request.unlink(missing_ok=True)
            extensions.unlink(missing_ok=True)


def sign(path, text, authority):
    """PATH.xml, and PATH.p7s: the same with the signature of the authority."""
    plain = path.with_suffix('.xml')
    write(plain, text)
    write(path.with_suffix('.p7s'), openssl('smime', '-sign', '-text', '-in', plain, '-signer', authority[1], '-inkey', authority[0]))


def link(target, path):
    if path.is_symlink() or path.exists():
        path.unlink()
    path.symlink_to(os.path.relpath(target, path.parent))


def make_keystore(store, arguments):
    root = check_policy(ElementTree.parse(arguments.policy).getroot())
    for folder in ('', 'public', 'private', 'enclaves'):
        (store / folder).mkdir(parents=True, exist_ok=True)
        os.chmod(store / folder, 0o700 if folder in ('', 'private') else 0o755)
    authorities = {name: make_authority(store, name, arguments.days) for name in ('identity', 'permissions')}
    sign(store / 'enclaves/governance', governance(arguments.domain), authorities['permissions'])
    now = datetime.datetime.now(datetime.timezone.utc)
    validity = now - datetime.timedelta(days=1), now + datetime.timedelta(days=arguments.days)
    paths = [enclave.get('path') for enclave in root.iter('enclave')]
    for path in paths:
        folder = store / 'enclaves' / path.lstrip('/')
        folder.mkdir(parents=True, exist_ok=True)
        os.chmod(folder, 0o700)
        make_identity(folder, path, authorities['identity'], arguments.days)
        permitted = in_namespace(with_names(permits(root, path), arguments.robots), arguments.namespace)
        sign(folder / 'permissions', permissions(path, permitted, arguments.domain, validity), authorities['permissions'])
        for name in ('identity', 'permissions'):
            link(authorities[name][1], folder / f'{name}_ca.cert.pem')
        link(store / 'enclaves/governance.p7s', folder / 'governance.p7s')
    return paths


def check_keystore(store):
    """Signatures and certificates, by openssl. Raises Bad with the first that is wrong. Returns the enclaves."""
    public = store / 'public'
    folders = sorted(path.parent for path in (store / 'enclaves').rglob('key.pem'))
    if not folders:
        raise Bad(f'{store} has no enclaves')
    signed = [store / 'enclaves/governance.p7s', *(folder / 'permissions.p7s' for folder in folders)]
    for path in signed:
        text = openssl('smime', '-verify', '-text', '-in', path, '-CAfile', public / 'permissions_ca.cert.pem')
        if text.replace('\r\n', '\n') != path.with_suffix('.xml').read_text():
            raise Bad(f'{path} has another content than {path.with_suffix(".xml").name}')
    for folder in folders:
        openssl('verify', '-CAfile', public / 'identity_ca.cert.pem', folder / 'cert.pem')
        subject = openssl('x509', '-in', folder / 'cert.pem', '-noout', '-subject', '-nameopt', 'RFC2253').strip()
        name = '/' + folder.relative_to(store / 'enclaves').as_posix()
        if subject != f'subject=CN={name}':
            raise Bad(f'{folder / "cert.pem"} is of {subject}, not of {name}')
    private = [*(store / 'private').iterdir(), *(folder / 'key.pem' for folder in folders)]
    for path in private:
        if path.stat().st_mode & 0o077:
            raise Bad(f'{path} can be read by others: chmod 600 it')
    return ['/' + folder.relative_to(store / 'enclaves').as_posix() for folder in folders]


def names(text):
    found = [name.strip() for name in text.split(',') if name.strip()]
    wrong = [name for name in found if not re.fullmatch(r'[A-Za-z_]\w*(/[A-Za-z_]\w*)*', name)]
    if wrong:
        raise argparse.ArgumentTypeError(f'{wrong[0]!r} is no name of a robot')
    return found


def main():
    parser = argparse.ArgumentParser(prog='./run security', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('keystore', type=pathlib.Path, help='folder of the keystore, made if it is missing')
    parser.add_argument('--check', action='store_true', help='check signatures, certificates and file modes, and write nothing')
    parser.add_argument('--policy', type=pathlib.Path, default=POLICY, help='another policy')
    parser.add_argument('--robots', type=names, default=[], help='names of robots and closures, separated by commas; else any')
    parser.add_argument('--namespace', default='', help='namespace of the nodes')
    parser.add_argument('--domain', type=int, default=int(os.environ.get('ROS_DOMAIN_ID') or 0), help='ROS domain, else ROS_DOMAIN_ID')
    parser.add_argument('--days', type=int, default=365, help='until everything expires (365)')
    arguments = parser.parse_args()
    os.umask(0o022)  # folders in between, too
    try:
        if not arguments.check:
            make_keystore(arguments.keystore, arguments)
        for path in check_keystore(arguments.keystore):
            print(path)
    except (Bad, OSError, ElementTree.ParseError) as error:
        sys.exit(f'security: {error}')


if __name__ == '__main__':
    main()
