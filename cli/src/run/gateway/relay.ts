import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { decode, encode } from '@msgpack/msgpack'
import { isReset, resetConnection } from '@quipu/server/http/connection/reset-connection.ts'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import type { ProgramRequests } from '../lock-step/program-requests.ts'
import type { ProgramStream, ProgramStreams } from '../lock-step/program-streams.ts'
import { beginIn, type Gateway, messageInBody, upstreamHeaders } from './forward.ts'
import { pairsOf } from './headers.ts'
import type { GatewayKeys } from './keys.ts'
import { lockStepOptions } from './upstream.ts'

/** Pings pass through the relay, so neither side answers them itself. */
const unassisted = { perMessageDeflate: false, autoPong: false } as const

/** Headers that the WebSocket client writes itself. */
const ownHeader = /^(host|sec-websocket-.*)$/i
const LOGIN_MAX_BYTES = 4096
/** The relay stops reading from one side while the other side has more unsent bytes. */
const UNSENT_MAX_BYTES = 1 << 20

/** Connects a WebSocket of the program with the broker. Pings pass, so that each side notices when the other is gone. */
export async function relay(
  gateway: Gateway,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  gateway.traffic.requests += 1
  socket.on('error', () => socket.destroy())
  const end = await beginIn(gateway.lockStep, socket)
  await open(gateway, request, socket, head, end).catch(() => socket.destroy())
}

async function open(
  gateway: Gateway,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  opened: (() => void) | undefined,
): Promise<void> {
  const { lockStep } = gateway
  const opening = lockStep?.newStream(socket)
  const headers = pairsOf(await upstreamHeaders(gateway, request)).filter(([name]) => !ownHeader.test(name))
  const protocols = request.headers['sec-websocket-protocol']?.split(/ *, */) ?? []
  const broker = new WebSocket(gateway.upstream.url.replace(/^http/, 'ws') + request.url, protocols, {
    ...(lockStep ? lockStepOptions(gateway.upstream) : gateway.upstream.tls),
    headers: {
      ...Object.fromEntries(headers),
      Host: request.headers.host ?? '',
      ...(opening && Object.fromEntries([opening.header])),
    },
    ...unassisted,
  })
  broker.on('unexpected-response', (_, response) => refuse(gateway, request, response, socket))
  const lost = (error: Error): void => {
    if (isReset(error)) resetConnection(socket)
    else socket.destroy()
  }
  broker.on('error', lost)
  // After the upgrade, the WebSocket reports a reset only as a lost connection.
  broker.once('upgrade', ({ socket: connection }) => connection.on('error', lost))
  broker.once('open', () => {
    const handleProtocols = (): string | false => broker.protocol || false
    const acceptor = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      handleProtocols,
      ...unassisted,
    })
    acceptor.handleUpgrade(request, socket, head, (program) => {
      const { observer } = gateway.traffic
      const observe = (data: RawData): void => observer?.message(request.url ?? '', data as Buffer)
      if (observer)
        broker.on(
          'message',
          (data) => void (lockStep ? lockStep.clock.atTime(() => observe(data)) : observe(data)),
        )
      connect(program, broker, gateway, opening?.stream)
      opened?.()
    })
  })
}

function connect(
  program: WebSocket,
  broker: WebSocket,
  { keys, lockStep }: Gateway,
  stream: ProgramStream | undefined,
): void {
  const login = keys && ((data: RawData, isBinary: boolean) => withKnownKey(keys, data, isBinary))
  if (lockStep && stream) {
    pass(program, broker, held(lockStep.requests, login), (action) => lockStep.requests.enter(action))
    passInLockStep(broker, program, lockStep.streams, stream)
  } else {
    pass(program, broker, login)
    pass(broker, program)
  }
  for (const [from, to] of [
    [program, broker],
    [broker, program],
  ] as const) {
    // The clock does not wait for the pong of the broker, so that the program would miss it.
    if (lockStep && from === program) from.on('ping', (data) => from.pong(data))
    else from.on('ping', (data) => to.readyState === WebSocket.OPEN && to.ping(data))
    from.on('pong', (data) => to.readyState === WebSocket.OPEN && to.pong(data))
    from.on('error', () => to.terminate())
  }
}

/** The program is not done before its message is passed on. */
const held =
  (requests: ProgramRequests, change: Change | undefined): Change =>
  async (data, isBinary) => {
    const release = await new Promise<() => void>((resolve) => requests.enter(() => resolve(requests.hold())))
    try {
      return (await change?.(data, isBinary)) ?? data
    } finally {
      requests.passedToBroker()
      // The message is sent in this turn of the event loop.
      setImmediate(release)
    }
  }

/** Passes the messages of the broker when the program may see them. */
function passInLockStep(
  broker: WebSocket,
  program: WebSocket,
  streams: ProgramStreams,
  stream: ProgramStream,
): void {
  streams.open(stream)
  broker.on('message', (data, binary) =>
    streams.deliver(stream, () => {
      if (program.readyState === WebSocket.OPEN) program.send(data, { binary })
    }),
  )
  broker.on('close', (code, reason) => {
    streams.end(stream)
    end(program, code, reason)
  })
}

type Change = (data: RawData, isBinary: boolean) => Promise<RawData | string>

/** Passes messages and the end of the connection, in order. `enter` runs the end when its time has come. */
function pass(
  from: WebSocket,
  to: WebSocket,
  change?: Change,
  enter = (action: () => void): void => action(),
): void {
  let queue: Promise<void> | undefined
  const send = (data: RawData | string, binary: boolean): void => {
    if (to.readyState !== WebSocket.OPEN) return
    to.send(data, { binary }, () => {
      if (from.isPaused && to.bufferedAmount < UNSENT_MAX_BYTES) from.resume()
    })
    if (to.bufferedAmount >= UNSENT_MAX_BYTES) from.pause()
  }
  from.on('message', (data, isBinary) => {
    if (!change) return send(data, isBinary)
    queue = (queue ?? Promise.resolve())
      .then(async () => send(await change(data, isBinary), isBinary))
      .catch(() => from.terminate())
  })
  from.on('close', (code, reason) => {
    void (queue ?? Promise.resolve()).then(() => enter(() => end(to, code, reason)))
  })
}

function end(to: WebSocket, code: number, reason: Buffer): void {
  // 1005 and 1006 are not sent: they stand for a close without a code and a lost connection.
  if (code === 1006) to.terminate()
  else if (code === 1005) to.close()
  else to.close(code, reason)
}

/** The message, with its key replaced if it is a login with a key that the broker does not know. */
async function withKnownKey(keys: GatewayKeys, data: RawData, isBinary: boolean): Promise<RawData | string> {
  const bytes = data as Buffer
  if (bytes.length > LOGIN_MAX_BYTES || !bytes.includes('auth')) return data
  const isJson = bytes[0] === 0x7b
  const message = attempt(() => (isJson ? JSON.parse(bytes.toString('utf8')) : decode(bytes)))
  const changed = await keys.inMessage(message)
  if (changed === undefined) return data
  if (!isJson) return Buffer.from(encode(changed))
  return isBinary ? Buffer.from(JSON.stringify(changed)) : JSON.stringify(changed)
}

function attempt(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Sends the broker's refusal of the upgrade to the program. */
function refuse(
  { traffic }: Gateway,
  request: IncomingMessage,
  response: IncomingMessage,
  socket: Duplex,
): void {
  const chunks: Buffer[] = []
  response.on('data', (bytes: Buffer) => chunks.push(bytes))
  response.on('end', () => {
    const { statusCode: status = 502, statusMessage = '', rawHeaders } = response
    const body = Buffer.concat(chunks)
    const lines = pairsOf(rawHeaders)
      .filter(([name]) => !/^(connection|transfer-encoding|content-length|keep-alive)$/i.test(name))
      .map(([name, value]) => `${name}: ${value}\r\n`)
    const fixed = `Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`
    socket.end(
      Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${statusMessage}\r\n${lines.join('')}${fixed}`), body]),
    )
    const path = (request.url ?? '').replace(/\?.*/, '')
    traffic.refused({ method: 'GET', path, status, message: messageInBody(body.toString('utf8')) })
  })
}
