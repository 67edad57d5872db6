import type { OutputOf } from '@quipu/contract'

type Status = OutputOf<'getCluster'>

/** HAProxy accepts 64 words in a line. */
const CODES_PER_LINE = 40

/** A configuration of HAProxy 2.4 or newer. */
export function haproxyConfiguration({ nodes, worlds }: Status, bind: string): string {
  const sorted = [...nodes].sort((one, other) => (one.address < other.address ? -1 : 1))
  const servers = sorted.map(({ name, address }, index) => ({
    name,
    address,
    id: `node-${index + 1}`,
    codes: worlds.filter(({ node }) => node === name).map(({ code }) => code),
  }))
  return `${[
    ...head,
    `  bind ${bind}`,
    ...backend,
    ...servers.flatMap(({ id, codes }) =>
      chunks(codes).map((some) => `  use-server ${id} if is_rest { var(txn.code) -m str ${some.join(' ')} }`),
    ),
    ...servers.flatMap(({ id, name, address }) => [`  # ${name}`, `  ${serverLine(id, address)}`]),
  ].join('\n')}\n`
}

const keyPattern = '^[PAC]K[0-9A-Z]{18}$'
const hasNoCode = '!{ var(txn.code) -m found }'

/** The same order as on the nodes: key pair, Basic, Bearer, on pages the cookie. A key id of another form belongs to `main`. */
const codeRules: readonly string[] = [
  'http-request set-var(txn.key) req.hdr(apca-api-key-id)',
  'http-request set-var(txn.key) req.hdr(authorization),regsub(^[^\\ ]*\\ +,),b64dec,field(1,:) if { req.hdr(authorization) -m beg -i basic } !{ var(txn.key) -m found }',
  'http-request set-var(txn.code) str(00) if { var(txn.key) -m found }',
  `http-request set-var(txn.code) var(txn.key),bytes(2,2) if { var(txn.key) -m reg ${keyPattern} }`,
  `http-request set-var(txn.code) req.hdr(authorization),regsub(^[^\\ ]*\\ +,),bytes(0,2),upper if { req.hdr(authorization) -m beg -i bearer } ${hasNoCode}`,
  ...['quipu_session', '__Host-quipu_session'].map(
    (cookie) =>
      `http-request set-var(txn.code) req.cook(${cookie}),bytes(0,2),upper if { path_beg /oauth/ } { req.cook(${cookie}) -m found } ${hasNoCode}`,
  ),
]

const chunks = (codes: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(codes.length / CODES_PER_LINE) }, (_, index) =>
    codes.slice(index * CODES_PER_LINE, (index + 1) * CODES_PER_LINE),
  )

function serverLine(id: string, address: string): string {
  const { protocol, hostname, port } = new URL(address)
  const isTls = protocol === 'https:'
  const tls = isTls ? ` ssl verify required verifyhost ${hostname} ca-file @system-ca` : ''
  return `server ${id} ${hostname}:${port || (isTls ? 443 : 80)}${tls}`
}

const head: readonly string[] = [
  '# Written by `quipu cluster haproxy`. Write it again after worlds were moved or nodes were added:',
  '#   quipu cluster haproxy > /etc/haproxy/haproxy.cfg && systemctl reload haproxy',
  '# An outdated file still works: every node forwards requests to the node that holds their world.',
  '# Set QUIPU_TRUST_PROXY=on on all nodes, so that they see the addresses of clients.',
  'global',
  '  user haproxy',
  '  group haproxy',
  '  # The journal of systemd, and the log of a container. Neither needs a syslog server.',
  '  log stdout format short local0',
  '  # Each connection of a client needs two open files.',
  '  maxconn 4000',
  '  # After a reload, the old process ends its last streams.',
  '  hard-stop-after 1h',
  '  ssl-default-bind-options ssl-min-ver TLSv1.2',
  '  ssl-default-server-options ssl-min-ver TLSv1.2',
  '',
  'resolvers system',
  '  parse-resolv-conf',
  '',
  'defaults',
  '  mode http',
  '  log global',
  '  # As `option httplog`, without the query: a sign-in link has its secret there.',
  '  log-format "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %HM %[var(txn.path)] %HV"',
  '  option dontlognull',
  '  timeout connect 2s',
  '  # Quiet streams stay open, and the clock of a world may move for minutes.',
  '  timeout client 1h',
  '  timeout server 1h',
  '  timeout tunnel 1h',
  '  timeout http-request 10s',
  '  # Only a request that was not sent is tried at another node.',
  '  retries 3',
  '  retry-on conn-failure',
  '  option redispatch 1',
  '  option forwardfor',
  '',
  'frontend quipu',
]

const backend: readonly string[] = [
  '  http-request set-var(txn.path) path',
  '  http-request set-header X-Forwarded-Proto %[ssl_fc,iif(https,http)]',
  '  default_backend nodes',
  '',
  'backend nodes',
  '  balance roundrobin',
  '  # A node that stops is not ready, and still answers until its worlds are moved.',
  '  option httpchk GET /readyz',
  '  http-check expect status 200',
  '  default-server check inter 1s fastinter 200ms fall 2 rise 1 resolvers system init-addr last,libc,none',
  '',
  '  # The code of the world: two characters of the key id, of the token, or of the session cookie.',
  ...codeRules.map((rule) => `  ${rule}`),
  '  acl is_rest hdr_cnt(upgrade) eq 0',
  '  # The node that holds each world. Without a code, and for WebSockets, any node answers.',
]
