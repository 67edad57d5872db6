import { plainText, type RunOutput, type RunRequest } from '@quipu/sdk/runs'
import type { ObservedResponse, Observer } from '../gateway/traffic.ts'
import { Redaction } from '../record/redact.ts'
import type { SecretFilter } from './secrets.ts'

/** Longer bodies are not kept. */
const BODY_MAX = 8 * 1024
const REQUESTS_MAX = 200_000
/** Characters of the requests of a run, with their bodies. */
const REQUESTS_MAX_CHARACTERS = 64 * 1024 * 1024
export const OUTPUT_MAX_BYTES = 10 * 1024 * 1024
const LINE_MAX = 4096
/** Empty lines would make a file of millions of lines. */
const LINE_BYTES_MIN = 32
const KEY_BEGIN = /-----BEGIN [A-Z ]*PRIVATE KEY-----/
const KEY_END = /-----END [A-Z ]*PRIVATE KEY-----/

export type OutputStream = RunOutput['stream']

/** Keeps the requests and the output of a program, without keys, for its run file. */
export class RunRecorder implements Observer {
  readonly keepsResponses = true
  readonly requests: RunRequest[] = []
  readonly output: RunOutput[] = []
  /** Days (UTC) on which the program sent a request or received a message. */
  readonly daysAwake = new Set<string>()
  isCut = false
  readonly #secrets: SecretFilter
  readonly #redaction: Redaction
  readonly #streams: Record<OutputStream, Lines> = { stdout: new Lines(), stderr: new Lines() }
  readonly #of: { readonly drill?: string }
  #now: () => number
  #outputBytes = 0
  #requestCharacters = 0

  constructor(secrets: SecretFilter, now: () => number, drill?: string) {
    this.#secrets = secrets
    this.#redaction = new Redaction(secrets.known)
    this.#now = now
    this.#of = drill === undefined ? {} : { drill }
  }

  useClock(now: () => number): void {
    this.#now = now
  }

  request(method: string, path: string) {
    const at = this.#at()
    this.daysAwake.add(at.slice(0, 10))
    return (body: string, { status, body: answer = '', fault }: ObservedResponse): void =>
      this.#keep({
        at,
        method,
        path: this.#secrets.clean(this.#redaction.form(path)),
        ...this.#bodyOf('body', path, body),
        ...(status !== undefined && { status }),
        ...this.#bodyOf('answer', path, answer),
        ...(fault !== undefined && { fault }),
        ...this.#of,
      })
  }

  message(): void {
    this.daysAwake.add(this.#at().slice(0, 10))
  }

  /** Keeps the lines of the output. A line without an end waits for it. */
  print(stream: OutputStream, bytes: Buffer): void {
    if (this.#outputBytes > OUTPUT_MAX_BYTES) return
    this.#outputBytes += bytes.length
    const lines = this.#outputBytes > OUTPUT_MAX_BYTES ? [] : this.#streams[stream].add(bytes)
    for (const line of lines) {
      this.#outputBytes += Math.max(0, LINE_BYTES_MIN - line.length)
      this.#line(stream, line)
    }
    if (this.#outputBytes <= OUTPUT_MAX_BYTES) return
    this.isCut = true
    // The begun lines may have half of a key.
    for (const begun of Object.values(this.#streams)) begun.end()
    this.#line(stream, `the output is cut at ${OUTPUT_MAX_BYTES / 1024 / 1024} MB`)
  }

  /** Keeps the lines that have no end. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const begun = this.#streams[stream].end()
      if (begun !== '') this.#line(stream, begun)
    }
  }

  /** Keeps a line of another source, at its own time. */
  note(at: string, text: string): void {
    this.output.push({ at, stream: 'stdout', text: this.#secrets.clean(text), ...this.#of })
  }

  #line(stream: OutputStream, text: string): void {
    const clean = this.#secrets.clean(text)
    const short = clean.length > LINE_MAX ? `${clean.slice(0, LINE_MAX)} …` : clean
    this.output.push({ at: this.#at(), stream, text: short, ...this.#of })
  }

  #keep(request: RunRequest): void {
    this.#requestCharacters += JSON.stringify(request).length
    const isFull = this.requests.length >= REQUESTS_MAX || this.#requestCharacters > REQUESTS_MAX_CHARACTERS
    if (isFull) this.isCut = true
    else this.requests.push(request)
  }

  #bodyOf(name: 'body' | 'answer', path: string, text: string): { body?: unknown } | { answer?: unknown } {
    if (text === '' || text.length > BODY_MAX) return {}
    // The program may print a token, which has the form of an id.
    if (name === 'answer' && path.startsWith('/oauth/')) this.#secrets.learn(text)
    const value = this.#redaction.body(path, text)
    if (value === undefined) return {}
    return { [name]: this.#secrets.cleanValue(value) }
  }

  #at(): string {
    return new Date(this.#now()).toISOString()
  }
}

/** The lines of a stream of bytes, as plain text. Those of a private key are one line. */
class Lines {
  #decoder = new TextDecoder()
  #begun = ''
  #isInKey = false

  /** The lines that end in these bytes. */
  add(bytes: Buffer): readonly string[] {
    const lines = (this.#begun + this.#decoder.decode(bytes, { stream: true })).split('\n')
    this.#begun = lines.pop() ?? ''
    // Colors may be inside a key.
    return lines.map(plainText).filter((line) => this.#isShown(line))
  }

  /** The line that has no end, and begins anew. */
  end(): string {
    const rest = plainText(this.#begun + this.#decoder.decode())
    this.#begun = ''
    return this.#isShown(rest) ? rest : ''
  }

  #isShown(line: string): boolean {
    const wasInKey = this.#isInKey
    if (KEY_END.test(line)) this.#isInKey = false
    else if (KEY_BEGIN.test(line)) this.#isInKey = true
    return !wasInKey
  }
}
