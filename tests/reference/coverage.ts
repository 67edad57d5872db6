import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { makeRouter, operations } from '@quipu/contract'
import type { Body } from '../support/broker.ts'

/**
 * What the test of a client used, for the compatibility page. A channel is written `/stream trade_updates`, an order kind
 * `type limit`, and a method of the SDK's trading namespace `orders.market`.
 */
export type Proof = {
  /** The name of the client on the compatibility page. */
  readonly client: string
  readonly operations: readonly string[]
  readonly channels: readonly string[]
  readonly orderKinds: readonly string[]
  readonly methods: readonly string[]
}

const table = new URL('./proofs.table.json', import.meta.url)

/** The record of each spec, by its path. `PROOFS=record npm test -- tests/reference` writes it. */
export const readProofs = (): Readonly<Record<string, Proof>> => JSON.parse(readFileSync(table, 'utf8'))

const route = makeRouter(operations)

/** Records what a client used with success: operations with a 2xx response, stream channels, order kinds and methods. */
export class Coverage {
  readonly #client: string
  readonly #operations = new Set<string>()
  readonly #channels = new Set<string>()
  readonly #orderKinds = new Set<string>()
  readonly #methods = new Set<string>()

  constructor(client: string) {
    this.#client = client
  }

  /** `sent` and `answer` are undefined when the client hides its bodies. */
  succeeded(method: string, path: string, sent: Body, response: Body): void {
    const found = route(method, path)
    assert(found.kind === 'found', `${method} ${path} has a response, but is not an operation`)
    this.#operations.add(found.name)
    if (found.name === 'replaceOrder') this.#orderKinds.add('extra replace')
    if (found.name === 'placeOrder' && response !== undefined)
      for (const kind of kindsOf(sent, response)) this.#orderKinds.add(kind)
  }

  /** The raw form of a method, which returns the unparsed response, counts as the method. */
  called(method: string): void {
    this.#methods.add(method.replace(/Raw$/, ''))
  }

  received(stream: string, channel: string): void {
    this.#channels.add(`${stream} ${channel}`)
  }

  /** Asserts that the record of this spec is what it used, or records it. */
  assertMatches(file: string): void {
    const name = `tests/reference/${basename(file)}`
    const sorted = (names: ReadonlySet<string>) => [...names].sort()
    const proof: Proof = {
      client: this.#client,
      operations: sorted(this.#operations),
      channels: sorted(this.#channels),
      orderKinds: sorted(this.#orderKinds),
      methods: sorted(this.#methods),
    }
    const proofs = readProofs()
    if (process.env['PROOFS'] === 'record')
      writeFileSync(table, `${JSON.stringify({ ...proofs, [name]: proof }, null, 2)}\n`)
    else
      assert.deepEqual(
        proofs[name],
        proof,
        `record it with PROOFS=record npm test -- ${name}, then npm run docs`,
      )
  }
}

/** The kinds of an order, as named on the compatibility page. */
function kindsOf(sent: Body, order: Body): readonly string[] {
  return [
    `type ${order.type}`,
    `time_in_force ${order.time_in_force}`,
    `order_class ${order.order_class || 'simple'}`,
    `size ${sizeOf(order)}`,
    `asset class ${order.asset_class}`,
    ...(order.extended_hours ? ['extra extended_hours'] : []),
    ...(sent.position_intent ? ['extra position_intent'] : []),
    ...(order.position_intent === 'sell_to_open' ? ['extra short sale'] : []),
  ]
}

const sizeOf = ({ notional, qty }: Body): string =>
  notional !== null ? 'notional' : Number.isInteger(Number(qty)) ? 'whole qty' : 'fractional qty'
