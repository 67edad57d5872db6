import type { Random } from '../../support/random.ts'
import { currentProcess, type SimulatedProcess } from '../faults/event-loop.ts'
import { SimulatedSocket } from './socket.ts'

/** A machine of the network. Clients have one without a process. */
export type Host = {
  readonly name: string
  readonly process: SimulatedProcess | undefined
  /** Takes a connection to the server of this host; undefined if nothing listens. */
  readonly accept: ((socket: SimulatedSocket) => void) | undefined
}

type Message =
  | { readonly kind: 'open' | 'opened' | 'accepted' | 'refused' | 'end' | 'reset' }
  | { readonly kind: 'data'; readonly chunk: Buffer }
type InFlight = { readonly dueMs: number; readonly message: Message }

/** Messages of one end of a connection on their way to the other. */
type Direction = {
  readonly from: Host
  readonly to: Host
  readonly inFlight: InFlight[]
  source: SimulatedSocket | undefined
  target: SimulatedSocket | undefined
}

/** One connection. Both ends keep their order of messages. */
export class Link {
  readonly #network: SimulatedNetwork
  readonly there: Direction
  readonly back: Direction
  /** The network has forgotten the connection: nothing arrives any more, and nobody is notified. */
  isLost = false

  constructor(network: SimulatedNetwork, from: Host, to: Host) {
    this.#network = network
    const empty = { source: undefined, target: undefined }
    this.there = { from, to, inFlight: [], ...empty }
    this.back = { from: to, to: from, inFlight: [], ...empty }
  }

  send(source: SimulatedSocket, message: Message): void {
    this.put(this.there.source === source ? this.there : this.back, message)
  }

  put({ inFlight }: Direction, message: Message): void {
    const dueMs = Math.max(performance.now() + this.#network.delayMs(), inFlight.at(-1)?.dueMs ?? 0)
    inFlight.push({ dueMs, message })
    this.#network.busy.add(this)
  }

  /** Both ends notice at once that the connection is broken. */
  cut(): void {
    for (const direction of [this.there, this.back]) {
      direction.inFlight.length = 0
      this.put(direction, { kind: 'reset' })
    }
  }

  /** Delivers what is due. Returns whether messages are left. */
  deliver(): boolean {
    for (const direction of [this.there, this.back]) this.#deliver(direction)
    return this.there.inFlight.length > 0 || this.back.inFlight.length > 0
  }

  #deliver(direction: Direction): void {
    const { inFlight, from, to } = direction
    for (let first = inFlight[0]; first; first = inFlight[0]) {
      if (this.isLost || first.dueMs > performance.now() || this.#network.isSilent(from, to)) return
      // The kernel of a paused process still accepts connections and acknowledges bytes.
      if (first.message.kind === 'open') this.#accept(direction)
      else if (direction.target?.process?.isPaused) return
      else {
        inFlight.shift()
        this.#arrive(direction, first.message)
      }
    }
  }

  #accept({ to, inFlight }: Direction): void {
    inFlight.shift()
    if (!to.accept || !to.process || to.process.isOver) return this.put(this.back, { kind: 'refused' })
    const socket = new SimulatedSocket(this, to.process, false)
    this.there.target = socket
    this.back.source = socket
    inFlight.unshift({ dueMs: 0, message: { kind: 'accepted' } })
    this.put(this.back, { kind: 'opened' })
  }

  #arrive({ target, to }: Direction, message: Message): void {
    if (!target) return
    if (target.process?.isOver) {
      if (message.kind === 'data') this.send(target, { kind: 'reset' })
      return
    }
    currentProcess.run(target.process, () => this.#receive(target, to, message))
  }

  #receive(target: SimulatedSocket, to: Host, message: Message): void {
    if (message.kind === 'accepted') return to.accept?.(target)
    if (target.destroyed) {
      if (message.kind === 'data') this.send(target, { kind: 'reset' })
      return
    }
    if (message.kind === 'data') target.receive(message.chunk)
    else if (message.kind === 'end') target.push(null)
    else if (message.kind === 'opened') {
      target.connecting = false
      target.emit('connect')
    } else target.destroy(failure(message.kind === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET'))
  }
}

const failure = (code: string): Error => Object.assign(new Error(code), { code })

/** A network that delays messages, and on which connections break or become silent. */
export class SimulatedNetwork {
  readonly hosts = new Map<string, Host>()
  readonly busy = new Set<Link>()
  readonly #links = new Set<Link>()
  readonly #random: Random
  readonly #silent = new Set<string>()
  /** The longest delay of a message, in milliseconds. */
  slowestMs = 3

  constructor(random: Random) {
    this.#random = random
    setInterval(() => {
      for (const link of this.busy) if (!link.deliver()) this.busy.delete(link)
    }, 1)
  }

  delayMs(): number {
    return this.#random.integer(0, this.slowestMs)
  }

  connect(from: Host, address: string): SimulatedSocket {
    const to = this.hosts.get(address) ?? { name: address, process: undefined, accept: undefined }
    const link = new Link(this, from, to)
    const socket = new SimulatedSocket(link, from.process, true)
    link.there.source = socket
    link.back.target = socket
    this.#links.add(link)
    socket.once('close', () => this.#links.delete(link))
    link.put(link.there, { kind: 'open' })
    return socket
  }

  isSilent(from: Host, to: Host): boolean {
    return this.#silent.has(`${from.name} ${to.name}`)
  }

  /** Nothing arrives from one host at another, until `heal`. */
  silence(from: string, to: string): void {
    this.#silent.add(`${from} ${to}`)
  }

  /** Messages arrive again, late. Some connections are lost for good: nobody is notified. */
  heal(): void {
    for (const link of this.#links)
      if (this.isSilent(link.there.from, link.there.to) && this.#random.chance(0.5)) link.isLost = true
    this.#silent.clear()
  }

  /** Breaks the connections between two hosts. */
  cut(one: string, other: string): void {
    for (const link of this.#links) {
      const { from, to } = link.there
      if ((from.name === one && to.name === other) || (from.name === other && to.name === one)) link.cut()
    }
  }

  /** The kernel closes the connections of a process that has ended. */
  ended(process: SimulatedProcess): void {
    for (const link of this.#links)
      for (const { source } of [link.there, link.back])
        if (source?.process === process) link.send(source, { kind: 'reset' })
  }
}
