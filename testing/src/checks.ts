import { reportOf } from './report.ts'
import type { World } from './types.ts'

/** The result of a check: whether it holds, and a sentence with the expected and the received value. */
export type Checked = { readonly pass: boolean; readonly message: string }

/** Each check is an assertion of `node:assert` style and a matcher of Vitest and Jest. */
export const checks = {
  /** Exactly one order has this client order id. */
  async oneOrder(world: World, clientOrderId: string, accountId?: string): Promise<Checked> {
    const orders = await world.orders(accountId)
    const count = orders.filter(({ client_order_id }) => client_order_id === clientOrderId).length
    const others = orders.map(({ client_order_id }) => client_order_id).join(', ')
    return {
      pass: count === 1,
      message: `expected exactly one order with the client order id ${clientOrderId}, received ${count} (all orders: ${others || 'none'})`,
    }
  },

  /** The signed quantity of a symbol. */
  async netPosition(
    world: World,
    symbol: string,
    quantity: number | string,
    accountId?: string,
  ): Promise<Checked> {
    const received = await world.position(symbol, accountId)
    return {
      pass: isSameDecimal(received, quantity),
      message: `expected a net position of ${quantity} ${symbol}, received ${received}`,
    }
  },

  /** The cash of an account, to the cent. */
  async cash(world: World, dollars: number | string, accountId?: string): Promise<Checked> {
    const received = await world.cash(accountId)
    return {
      pass: isSameDecimal(received, dollars),
      message: `expected ${dollars} dollars of cash, received ${received}`,
    }
  },

  /** The program of the account knows of all its fills. */
  async noUnacknowledgedFill(world: World, accountId?: string): Promise<Checked> {
    const fills = await world.unacknowledgedFills(accountId)
    const list = fills.map(({ number, at, orderId }) => `#${number} ${at} of order ${orderId}`).join(', ')
    return {
      pass: fills.length === 0,
      message: `expected no unacknowledged fill, received ${fills.length}: ${list}`,
    }
  },
}

/** Compares decimals without rounding: `10`, `10.00` and 10 are the same. */
function isSameDecimal(one: string, other: number | string): boolean {
  return plain(one) === plain(String(other))
}

function plain(text: string): string {
  const [, sign, whole, fraction = ''] = /^([+-]?)0*(\d*)(?:\.(\d*))?$/.exec(text) ?? []
  if (whole === undefined) throw new TypeError(`expected a decimal number, received ${JSON.stringify(text)}`)
  const digits = `${whole || '0'}.${fraction.replace(/0+$/, '')}`
  return sign === '-' && digits !== '0.' ? `-${digits}` : digits
}

type Arguments<Name extends keyof typeof checks> =
  Parameters<(typeof checks)[Name]> extends [World, ...infer Rest] ? Rest : never

async function assertThat(check: Promise<Checked>, world: World): Promise<void> {
  const { pass, message } = await check
  if (!pass) throw new Error(`${message}\n${await reportOf(world)}`)
}

/** Throws unless exactly one order has this client order id. */
export const assertOneOrder = (world: World, ...args: Arguments<'oneOrder'>): Promise<void> =>
  assertThat(checks.oneOrder(world, ...args), world)

/** Throws unless the account has this signed quantity of the symbol. */
export const assertNetPosition = (world: World, ...args: Arguments<'netPosition'>): Promise<void> =>
  assertThat(checks.netPosition(world, ...args), world)

/** Throws unless the account has this cash, to the cent. */
export const assertCash = (world: World, ...args: Arguments<'cash'>): Promise<void> =>
  assertThat(checks.cash(world, ...args), world)

/** Throws if the program of the account does not know of one of its fills. */
export const assertNoUnacknowledgedFill = (
  world: World,
  ...args: Arguments<'noUnacknowledgedFill'>
): Promise<void> => assertThat(checks.noUnacknowledgedFill(world, ...args), world)
