import { setTimeout as sleep } from 'node:timers/promises'
import type { BookTransferResponse, WorldId } from '@quipu/core'
import type { Successor } from '../journal/journal.ts'
import type { AskWorld, WorldRequest } from '../registry/ask-world.ts'
import type { Admission } from './admission.ts'
import { askHolder } from './book-transfers.ts'
import type { TableView } from './table-view.ts'

/** How long a book transfer waits for a node that holds the other world, before it is tried again later. */
const HOLDER_MS = 2_000
/** Interval of looks for that node. */
const LOOK_MS = 250

/** Where a world is: on this node, on another one, or nowhere at the moment. */
export type Location =
  | { readonly kind: 'here' }
  | { readonly kind: 'elsewhere'; readonly address: string }
  | { readonly kind: 'nowhere' }

const NOWHERE: Location = { kind: 'nowhere' }

export type LocationsParts = {
  /** The name of this node in leases. */
  readonly name: string
  /** The secret that all nodes share. */
  readonly secret: string
  readonly isOpen: (world: WorldId) => boolean
  /** What a world on this node responds to a book transfer from another world. */
  readonly receive: AskWorld
}

/** Where the worlds of the cluster are. */
export class Locations {
  readonly #parts: LocationsParts
  readonly #admission: Admission
  readonly #view: TableView
  /** The address of this node, once it has one. */
  readonly #address: () => string

  constructor(parts: LocationsParts, admission: Admission, view: TableView, address: () => string) {
    this.#parts = parts
    this.#admission = admission
    this.#view = view
    this.#address = address
  }

  of(world: WorldId): Location {
    if (this.#parts.isOpen(world)) return this.#admission.isClosed(world) ? NOWHERE : { kind: 'here' }
    const holder = this.#view.row(world)?.holder
    if (!holder || holder.name === this.#parts.name) return NOWHERE
    return { kind: 'elsewhere', address: holder.address }
  }

  /** Whether this node answers for a world. */
  isHere(world: WorldId): boolean {
    return this.of(world).kind === 'here'
  }

  /** The node that holds a world: also this one, which then sends the request to itself. */
  holderOf(world: WorldId): Successor | undefined {
    const at = this.of(world)
    if (at.kind === 'here') return { name: this.#parts.name, address: this.#address() }
    return at.kind === 'elsewhere' ? this.#view.row(world)?.holder : undefined
  }

  /** Asks a world to receive a book transfer, wherever the world is. Fails if no node holds it for a while. */
  async askWorld(world: WorldId, request: WorldRequest): Promise<BookTransferResponse> {
    const deadlineMs = performance.now() + HOLDER_MS
    for (;;) {
      const at = this.of(world)
      if (at.kind === 'here') return this.#parts.receive(world, request)
      if (at.kind === 'elsewhere') return askHolder(this.#parts.secret, at.address, world, request)
      await this.#view.read()
      if (!this.#view.row(world)) return { ok: false, reason: 'world not found' }
      if (performance.now() > deadlineMs) throw new Error(`no node holds world ${world}`)
      await sleep(LOOK_MS, undefined, { ref: false })
    }
  }
}
