import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { wallNow } from '../../../broker/src/clock/wall.ts'
import { currentProcess, SimulatedLoop } from '../faults/event-loop.ts'
import type { Host } from './network.ts'
import type { SimulatedSocket } from './socket.ts'

/** The calendar at the start of a run: a trading day, before noon in New York. */
const START_MS = Date.UTC(2026, 0, 7, 15, 0, 0)
const HOUR_NS = 3_600_000_000_000n

const machine = {
  connect: net.connect,
  createConnection: net.createConnection,
  listen: net.Server.prototype.listen,
  addRequest: Reflect.get(http.Agent.prototype, 'addRequest'),
  fetch: globalThis.fetch,
  timeout: AbortSignal.timeout,
  dateNow: Date.now,
  bigint: process.hrtime.bigint,
  Client: pg.Client,
}

export type MachineParts = {
  /** Opens a connection from the host of the running process. */
  readonly connect: (address: string) => SimulatedSocket
  /** The server of the running process listens. */
  readonly listens: (server: net.Server) => void
  /** The host of the running process. */
  readonly host: () => Host
  readonly Client: unknown
}

/** Number of runs in this process. The agents of the program keep connections of the earlier ones. */
let runs = 0

/** Monotonic, so that a run in the same process begins after the earlier one. */
let lastNs = process.hrtime.bigint()

/**
 * Simulates the machine of all processes of a run: timers, clocks, the network, and the driver of the database. Only these
 * are replaced, in this process and until `end`; the program is unchanged.
 */
export class SimulatedMachine {
  readonly loop = new SimulatedLoop()
  readonly #startNs = lastNs + HOUR_NS

  constructor({ connect, listens, host, Client }: MachineParts) {
    const { loop } = this
    runs += 1
    const open = ({ host: name, port, timeout = 0 }: net.TcpNetConnectOpts) =>
      connect(`${name}:${port}`).setTimeout(timeout)
    Object.assign(net, { connect: open, createConnection: open })
    Object.assign(net.Server.prototype, {
      listen(this: net.Server) {
        this.address = () => ({ address: '10.0.0.0', family: 'IPv4', port: 7878 })
        listens(this)
        process.nextTick(() => this.emit('listening'))
      },
    })
    // Each process has its connections: the program shares its agents within one process only.
    Object.assign(http.Agent.prototype, {
      addRequest(this: http.Agent, request: unknown, options: object) {
        return machine.addRequest.call(this, request, {
          ...options,
          localAddress: `${host().name} in run ${runs}`,
        })
      },
    })
    Object.assign(globalThis, { fetch: fetchOverHttp })
    Object.assign(AbortSignal, { timeout: abortedAfter })
    Object.assign(Date, { now: () => START_MS + loop.nowMs })
    Object.assign(process.hrtime, {
      bigint: () => (lastNs = this.#startNs + BigInt(loop.nowMs) * 1_000_000n),
    })
    Object.assign(pg, { Client })
    syncBuiltinESMExports()
    wallNow()
  }

  end(): void {
    Object.assign(Date, { now: machine.dateNow })
    // The wall clock of the program follows the machine again.
    Object.assign(process.hrtime, { bigint: () => (lastNs += HOUR_NS) })
    wallNow()
    Object.assign(process.hrtime, { bigint: machine.bigint })
    Object.assign(net, { connect: machine.connect, createConnection: machine.createConnection })
    Object.assign(net.Server.prototype, { listen: machine.listen })
    Object.assign(http.Agent.prototype, { addRequest: machine.addRequest })
    Object.assign(globalThis, { fetch: machine.fetch })
    Object.assign(AbortSignal, { timeout: machine.timeout })
    Object.assign(pg, { Client: machine.Client })
    syncBuiltinESMExports()
    this.loop.end()
  }
}

function abortedAfter(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new DOMException('timeout', 'TimeoutError')), ms)
  return controller.signal
}

type FetchOptions = {
  readonly method?: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string
  readonly signal?: AbortSignal
}

/** `fetch` as the program uses it, on the simulated network. */
async function fetchOverHttp(url: URL | string, options: FetchOptions = {}): Promise<Response> {
  const { method = 'GET', headers = {}, body, signal } = options
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.request(url, { method, headers, agent: false })
    signal?.addEventListener('abort', () => request.destroy(signal.reason))
    request.once('response', resolve)
    request.once('error', (cause) => reject(new TypeError('fetch failed', { cause })))
    request.end(body)
  })
  const content = await text(response)
  const pairs = Object.entries(response.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  )
  return new Response(response.statusCode === 204 ? null : content, {
    status: response.statusCode!,
    headers: pairs,
  })
}

/** Runs code as no process of the simulation: the network, the database or a client. */
export const outside = <Value>(run: () => Value): Value => currentProcess.run(undefined, run)
