import type { Socket } from 'node:net'
import type { HostileRequest } from './inputs.ts'
import { dial, type HostileResponse, untilClosed } from './send.ts'

/** Responses in the order of the requests; fewer if the server closed the connection before all were answered. */
export type Responses = { readonly responses: readonly HostileResponse[]; readonly isClosed: boolean }

/** A connection that sends many unchanged requests at once. It opens when needed. */
export class Pipeline {
  readonly #url: string
  #socket: Socket | undefined
  #bytes: Buffer = Buffer.alloc(0)
  #wake: () => void = () => undefined

  constructor(url: string) {
    this.#url = url
  }

  async send(requests: readonly HostileRequest[]): Promise<Responses> {
    const socket = this.#socket?.writable ? this.#socket : await this.#open()
    socket.write(Buffer.concat(requests.flatMap(bytesOf)))
    const responses: HostileResponse[] = []
    for (const { method } of requests) {
      const response = await this.#next(socket, method === 'HEAD')
      if (!response) return { responses, isClosed: true }
      responses.push(response)
      if (response.headers.connection !== 'close') continue
      socket.destroy()
      return { responses, isClosed: true }
    }
    return { responses, isClosed: false }
  }

  close(): void {
    this.#socket?.destroy()
  }

  async #open(): Promise<Socket> {
    const socket = await dial(this.#url)
    this.#socket = socket
    this.#bytes = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      if (this.#socket !== socket) return
      this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
      this.#wake()
    })
    void untilClosed(socket).then(() => this.#wake())
    return socket
  }

  async #next(socket: Socket, isBodyless: boolean): Promise<HostileResponse | undefined> {
    for (;;) {
      const read = readResponse(this.#bytes, isBodyless)
      if (read) {
        this.#bytes = this.#bytes.subarray(read.length)
        return read.response
      }
      if (socket.closed) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

function bytesOf({ method, path, headers, body }: HostileRequest): Buffer[] {
  const length = body ? [`content-length: ${body.length}`] : []
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${path} HTTP/1.1`, 'host: localhost', ...lines, ...length, '', ''].join('\r\n')
  return body ? [Buffer.from(head, 'latin1'), body] : [Buffer.from(head, 'latin1')]
}

const END = '\r\n\r\n'

/** The first response in the bytes and its length, once it is complete. */
function readResponse(
  bytes: Buffer,
  isBodyless: boolean,
): { readonly response: HostileResponse; readonly length: number } | undefined {
  const end = bytes.indexOf(END)
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines)
    headers[line.slice(0, line.indexOf(':')).toLowerCase()] = line.slice(line.indexOf(':') + 2)
  const status = Number(first.split(' ')[1])
  const from = end + END.length
  const read =
    isBodyless || status === 204 || status === 304 || headers['content-type'] === 'text/event-stream'
      ? { text: '', length: from }
      : headers['transfer-encoding'] === 'chunked'
        ? readChunks(bytes, from)
        : readLength(bytes, from, Number(headers['content-length']))
  if (!read) return undefined
  const isRefusal = status >= 400 && headers['content-type']?.includes('json') && read.text !== ''
  const body = isRefusal ? JSON.parse(read.text) : undefined
  return { response: { status, headers, text: read.text, body }, length: read.length }
}

type Read = { readonly text: string; readonly length: number } | undefined

const readLength = (bytes: Buffer, from: number, size: number): Read =>
  bytes.length < from + size
    ? undefined
    : { text: bytes.toString('utf8', from, from + size), length: from + size }

function readChunks(bytes: Buffer, from: number): Read {
  const chunks: Buffer[] = []
  for (let at = from; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const next = line + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return { text: Buffer.concat(chunks).toString(), length: next }
    chunks.push(bytes.subarray(line + 2, line + 2 + size))
    at = next
  }
}
