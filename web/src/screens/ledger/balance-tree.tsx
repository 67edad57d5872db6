import type { JSX } from 'preact'
import { add, type Decimal, decimal, signOf, ZERO } from '../../format/decimal.ts'
import { isStale } from '../../live/current.ts'
import { Money, Quantity } from '../../parts/amounts.tsx'
import { ownerName } from '../../parts/ledger-names.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { CASH, choice, chooseBalance, MINE, ownerOf } from './ledger-choice.ts'
import { type Balance, balances, balancesProblem, readBalances } from './ledger-state.ts'

type Line = {
  readonly of: string
  readonly name: string
  readonly asset: string
  readonly amount: Decimal
}

const sections = ['My account', 'House', 'Issuers', 'Other accounts'] as const
type Section = (typeof sections)[number]

/** Balances of other accounts that the tree shows; the filter finds the others. */
const OTHERS_MAX = 100

/** The balances of every ledger account and asset. A click shows what a balance is made of. */
export function BalanceTree(): JSX.Element {
  const known = balances.value
  const lines = known && linesOf(known)
  return (
    <section class="card ledger-tree" aria-label="Balances">
      {balancesProblem.value && !lines ? (
        <Failed what="balances" error={balancesProblem.value} retry={readBalances} />
      ) : !lines ? (
        <Loading rows={8} />
      ) : lines.size === 0 ? (
        <Empty icon="scale" title="No balance">
          A deposit or a fill posts cash and shares.
        </Empty>
      ) : (
        sections.map((section) => <Part key={section} title={section} lines={lines.get(section) ?? []} />)
      )}
    </section>
  )
}

function Part({
  title,
  lines,
}: {
  readonly title: Section
  readonly lines: readonly Line[]
}): JSX.Element | null {
  if (lines.length === 0) return null
  const { of, asset, order } = choice.value
  return (
    <>
      <h2 class="small">{title}</h2>
      <ul>
        {lines.slice(0, OTHERS_MAX).map((line) => {
          const isChosen = line.of === of && line.asset === asset && order === undefined
          return (
            <li key={`${line.of} ${line.asset}`}>
              <button
                type="button"
                aria-current={isChosen ? 'true' : undefined}
                onClick={() => chooseBalance(line.of, line.asset)}
              >
                <span class="cut-text">{line.name}</span>
                {line.asset === CASH ? (
                  <Money value={line.amount} stale={isStale()} of={`balance.${line.of}.${line.asset}`} />
                ) : (
                  <Quantity
                    value={line.amount}
                    align={2}
                    stale={isStale()}
                    of={`balance.${line.of}.${line.asset}`}
                  />
                )}
                <small>{line.asset}</small>
              </button>
            </li>
          )
        })}
      </ul>
    </>
  )
}

/** Settled and unsettled together, without empty balances; cash first. */
function linesOf(known: readonly Balance[]): ReadonlyMap<Section, readonly Line[]> {
  const sums = new Map<string, Line & { readonly section: Section }>()
  for (const balance of known) {
    const { asset, amount } = balance
    const of = ownerOf(balance)
    const key = `${of} ${asset}`
    const before = sums.get(key)?.amount ?? ZERO
    const total = add(before, decimal(amount))
    sums.set(key, { of, asset, amount: total, name: nameOf(balance, of), section: sectionOf(balance, of) })
  }
  const lines = [...sums.values()]
    .filter(({ amount }) => signOf(amount) !== 0)
    .sort((a, b) => rank(a) - rank(b) || (a.name + a.asset < b.name + b.asset ? -1 : 1))
  return Map.groupBy(lines, ({ section }) => section)
}

const rank = ({ asset }: Line): number => (asset === CASH ? 0 : 1)

function sectionOf({ account_id: id, ledger_account: name }: Balance, of: string): Section {
  if (of === MINE) return 'My account'
  if (id !== undefined) return 'Other accounts'
  return name.includes(':') ? 'Issuers' : 'House'
}

function nameOf(balance: Balance, of: string): string {
  if (of === MINE) return balance.asset === CASH ? 'Cash' : balance.asset
  const name = ownerName(balance).replace(/^account /, '')
  return name.charAt(0).toUpperCase() + name.slice(1)
}
