import assert from 'node:assert/strict'
import { makeRouter, operations } from '@quipu/contract'
import type { Body } from '../support/broker.ts'
import { proofs } from './proofs.table.ts'

const route = makeRouter(operations)

/** Records what a client used with success: operations with a 2xx response, stream channels, order kinds and methods. */
export class Coverage {
  readonly #operations = new Set<string>()
  readonly #channels = new Set<string>()
  readonly #orderKinds = new Set<string>()
  readonly #methods = new Set<string>()

  /** `sent` and `answer` are undefined when the client hides its bodies. */
  succeeded(method: string, path: string, sent: Body, answer: Body): void {
    const found = route(method, path)
    assert(found.kind === 'found', `${method} ${path} has a response, but is not an operation`)
    this.#operations.add(found.name)
    if (found.name === 'replaceOrder') this.#orderKinds.add('extra replace')
    if (found.name === 'placeOrder' && answer !== undefined)
      for (const kind of kindsOf(sent, answer)) this.#orderKinds.add(kind)
  }

  /** The raw form of a method, which returns the unparsed response, counts as the method. */
  called(method: string): void {
    this.#methods.add(method.replace(/Raw$/, ''))
  }

  received(stream: string, channel: string): void {
    this.#channels.add(`${stream} ${channel}`)
  }

  /** Asserts that tests/reference/proofs.table.ts lists exactly what this file used. */
  assertMatches(file: string): void {
    const row = proofs.find((proof) => file.endsWith(proof.file))
    assert(row, `tests/reference/proofs.table.ts has no row for ${file}`)
    assert.deepEqual([...row.operations].sort(), [...this.#operations].sort())
    assert.deepEqual([...row.channels].sort(), [...this.#channels].sort())
    assert.deepEqual([...row.orderKinds].sort(), [...this.#orderKinds].sort())
    assert.deepEqual([...(row.methods ?? [])].sort(), [...this.#methods].sort())
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
