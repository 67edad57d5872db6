import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { isOfThisUser } from './peer-user.ts'

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
