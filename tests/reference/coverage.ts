import assert from 'node:assert/strict'
import { makeRouter, operations } from '@quipu/contract'
import type { Body } from '../broker.ts'
import { proofs } from '../proofs.table.ts'

const route = makeRouter(operations)

/** Looks over a client's shoulder and notes what worked: operations answered 2xx, channels heard, orders taken. */
export class Witness {
  readonly #operations = new Set<string>()
  readonly #channels = new Set<string>()
  readonly #orderKinds = new Set<string>()
  readonly #methods = new Set<string>()

  /** What was sent and answered is left out where the client keeps it to itself. */
  answered(method: string, path: string, sent: Body, answer: Body): void {
    const found = route(method, path)
    assert(found.kind === 'found', `${method} ${path} was answered, but is no operation`)
    this.#operations.add(found.name)
    if (found.name === 'replaceOrder') this.#orderKinds.add('extra replace')
    if (found.name === 'placeOrder' && answer !== undefined)
      for (const kind of kindsOf(sent, answer)) this.#orderKinds.add(kind)
  }

  /** The raw form of a method, which yields the answer as it came, counts as the method. */
  called(method: string): void {
    this.#methods.add(method.replace(/Raw$/, ''))
  }

  heard(stream: string, channel: string): void {
    this.#channels.add(`${stream} ${channel}`)
  }

  /** That the table claims for this file exactly what was seen. */
  confirms(file: string): void {
    const claimed = proofs.find((proof) => file.endsWith(proof.file))
    assert(claimed, `tests/proofs.table.ts has no row for ${file}`)
    assert.deepEqual([...claimed.operations].sort(), [...this.#operations].sort())
    assert.deepEqual([...claimed.channels].sort(), [...this.#channels].sort())
    assert.deepEqual([...claimed.orderKinds].sort(), [...this.#orderKinds].sort())
    assert.deepEqual([...(claimed.methods ?? [])].sort(), [...this.#methods].sort())
  }
}

/** What kinds an order is of, as the compatibility page names them. */
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
