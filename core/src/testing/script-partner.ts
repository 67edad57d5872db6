import type { BlockKind } from '../account/account.ts'
import type { NewPosition, OpenAccount } from '../account/commands.ts'
import type { PartnerCommand } from '../account/partner/commands.ts'
import { type Money, parseDecimal, type Quantity } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { AccountId, Ticker } from '../ids.ts'

type ScriptContext = { readonly accounts: ReadonlyMap<string, AccountId> }
type Line = (context: ScriptContext, words: readonly string[]) => PartnerCommand

/** Script lines for the operations of partners on accounts. */
export const partnerLines: Readonly<Record<string, Line>> = {
  deposit: (context, words) => transfer(context, words, 'in'),
  withdraw: (context, words) => transfer(context, words, 'out'),
  jnlc: ({ accounts }, [from = '', to = '', cash = '']) => ({
    kind: 'makeBookTransfer',
    from: named(accounts, from),
    to: named(accounts, to),
    what: { kind: 'cash', amount: amount(cash) as Money },
  }),
  jnls: ({ accounts }, [from = '', to = '', symbol = '', size = '']) => ({
    kind: 'makeBookTransfer',
    from: named(accounts, from),
    to: named(accounts, to),
    what: { kind: 'shares', symbol: symbol as Ticker, quantity: amount(size) as Quantity },
  }),
  reset: ({ accounts }, [account = '', cash = '0', ...rest]) => ({
    kind: 'resetAccount',
    accountId: named(accounts, account),
    cash: amount(cash) as Money,
    positions: positionsIn(rest),
  }),
  block: ({ accounts }, [account = '', ...blocks]) => ({
    kind: 'blockAccount',
    accountId: named(accounts, account),
    blocks: blocks as BlockKind[],
  }),
  unblock: ({ accounts }, [account = '', ...blocks]) => ({
    kind: 'unblockAccount',
    accountId: named(accounts, account),
    blocks: blocks as BlockKind[],
  }),
  close: ({ accounts }, [account = '', how]) => ({
    kind: 'closeAccount',
    accountId: named(accounts, account),
    empty: how === 'empty',
  }),
}

/** Starting positions and client id: `AAPL:10:1000` is 10 shares with a cost of 1000, `id=x` the client id. */
export function openOptionsIn(words: readonly string[]): Pick<OpenAccount, 'positions' | 'client'> {
  const id = words.find((word) => word.startsWith('id='))?.slice(3)
  const positions = positionsIn(words.filter((word) => !word.startsWith('id=')))
  return definedFields({
    positions: positions.length === 0 ? undefined : positions,
    client: id === undefined ? undefined : { id, bodyHash: words.join(' ') },
  })
}

const positionsIn = (words: readonly string[]): readonly NewPosition[] =>
  words.map((word) => {
    const [symbol = '', size = '', cost] = word.split(':')
    return {
      symbol: symbol as Ticker,
      quantity: amount(size) as Quantity,
      ...definedFields({ costBasis: cost === undefined ? undefined : (amount(cost) as Money) }),
    }
  })

function transfer(
  { accounts }: ScriptContext,
  [account = '', cash = '']: readonly string[],
  direction: 'in' | 'out',
): PartnerCommand {
  return {
    kind: 'transferMoney',
    accountId: named(accounts, account),
    direction,
    method: 'ach',
    amount: amount(cash) as Money,
  }
}

/** An unknown name is used as an id, which no account has. */
const named = (names: ReadonlyMap<string, AccountId>, name: string): AccountId =>
  names.get(name) ?? (name as AccountId)

function amount(text: string): bigint {
  const parsed = parseDecimal(text)
  if (!parsed.ok) throw new Error(`not an amount: ${text}`)
  return parsed.value
}
