import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { isIPv4, Socket } from 'node:net'
import { endianness } from 'node:os'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/** The user name of the proxy. Some clients send a password only with a user name. */
const USER = 'run'

/** The line before TLS, without its secret. The first byte of TLS differs. */
export const SECRET_LINE = 'QUIPU-RUN '

/**
 * The connections that belong to the run. Only their requests get another key, and only they use the proxy, so that no
 * other user of the machine and no page in a browser acts for the account of the run. A connection belongs to the run if
 * 1. its CONNECT or its requests have the secret as proxy credentials, as HTTPS_PROXY names them;
 * 2. its first line has the secret, before TLS: Node and Python programs send it;
 * 3. it came through the socket in the folder of the run, which only its owner can open;
 * 4. on Linux, the kernel says that a process of our user opened it: programs that ignore proxies.
 */
export class RunConnections {
  readonly secret = randomBytes(24).toString('hex')
  readonly #proven = new WeakSet<Duplex>()
  readonly #checked = new WeakMap<Duplex, boolean>()

  /** The address of the proxy, with the credentials. */
  proxyUrl(port: number): string {
    return `http://${USER}:${this.secret}@127.0.0.1:${port}`
  }

  add(connection: Duplex): void {
    this.#proven.add(connection)
  }

  isSecret(text: string): boolean {
    // The comparison takes the same time for every text.
    return timingSafeEqual(hash('sha256', text, 'buffer'), hash('sha256', this.secret, 'buffer'))
  }

  /** Whether a request to the proxy has its credentials. */
  isAuthorized({ headers }: IncomingMessage): boolean {
    const [, basic] = /^basic +([a-z0-9+/=]+)$/i.exec(headers['proxy-authorization'] ?? '') ?? []
    const [user, secret] = Buffer.from(basic ?? '', 'base64')
      .toString('utf8')
      .split(':')
    return user === USER && this.isSecret(secret ?? '')
  }

  has(connection: Duplex): boolean {
    const accepted = acceptedOf(connection)
    if (this.#proven.has(accepted)) return true
    let isOwn = this.#checked.get(accepted)
    if (isOwn === undefined) {
      isOwn = accepted instanceof Socket && connection instanceof TLSSocket && isOfThisUser(accepted)
      this.#checked.set(accepted, isOwn)
    }
    return isOwn
  }
}

/** The connection below TLS. */
function acceptedOf(connection: Duplex): Duplex {
  const { _parent: below } = connection as Duplex & { readonly _parent?: Duplex }
  return connection instanceof TLSSocket && below ? below : connection
}

/** The state of a connection that both sides use. Linux reports no user for one whose process has closed it. */
const ESTABLISHED = '01'

/** The kernel lists connections in parts: one may be missing while others begin and end. */
const READS = 5

/** Whether a process of our user opened a connection of this machine. Only Linux reports it; elsewhere: no. */
function isOfThisUser(connection: Socket): boolean {
  const user = process.getuid?.()
  if (process.platform !== 'linux' || user === undefined) return false
  for (let reads = 0; reads < READS; reads++) {
    const owner = peerOf(connection)
    if (owner !== undefined) return owner === user
  }
  return false
}

/** The user of the process at the other end; undefined if the kernel does not list it. */
function peerOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): number | undefined {
  // The peer's row has the addresses the other way round.
  const [ours, theirs] = [endsOf(localAddress, localPort), endsOf(remoteAddress, remotePort)]
  for (const row of ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(rowsOf)) {
    // Number, local address, remote address, state, queues, timer, retransmits, user.
    const [, local = '', remote = '', state, , , , owner] = row.trim().split(/ +/)
    if (state === ESTABLISHED && theirs.includes(local) && ours.includes(remote)) return Number(owner)
  }
  return undefined
}

/** An end of a loopback connection as the kernel prints it: of a socket for IPv4, and of one for IPv6. */
function endsOf(address = '', port = 0): readonly string[] {
  const portText = hex(port, 4)
  if (address === '::1') return [`00000000000000000000000001000000:${portText}`]
  if (!isIPv4(address)) return []
  // Words of four bytes, in the order of the machine.
  const bytes = address.split('.').map((byte) => hex(Number(byte), 2))
  const word = (endianness() === 'LE' ? bytes.reverse() : bytes).join('')
  return [`${word}:${portText}`, `0000000000000000FFFF0000${word}:${portText}`]
}

const hex = (number: number, digits: number): string =>
  number.toString(16).toUpperCase().padStart(digits, '0')

function rowsOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(1)
  } catch {
    return []
  }
}
