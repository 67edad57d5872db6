import type { JSX } from 'preact'
import { signOf } from '../../format/decimal.ts'
import { Card } from '../../parts/card.tsx'
import { ownerName } from '../../parts/ledger-names.ts'
import { Loading } from '../../parts/states.tsx'
import { CASH, choice, chooseGroup, MINE } from './ledger-choice.ts'
import { amountText, type Bar, settledPart, waterfall } from './postings.ts'

/** What the chosen balance is made of. Each bar filters the postings. */
export function WaterfallCard(): JSX.Element | null {
  const { asset, order, group } = choice.value
  if (asset === undefined || order !== undefined) return null
  const parts = waterfall.value
  const settled = settledPart.value
  const name = assetName()
  return (
    <Card
      title={titleOf(parts && amountText(parts.total.amount, asset))}
      beside={parts && <span class="right faint wide-only">{counted(parts.count, 'posting')}</span>}
    >
      <div class="body">
        {!parts ? (
          <Loading rows={4} />
        ) : (
          <ul class="waterfall">
            {parts.bars.map((bar) => (
              <li key={bar.group}>
                <button
                  type="button"
                  aria-pressed={group === bar.group}
                  disabled={bar.count === 0}
                  onClick={() => chooseGroup(group === bar.group ? undefined : bar.group)}
                >
                  <Name title={bar.group} about={bar.count === 0 ? 'not read' : countText(bar)} />
                  <Track bar={bar} kind={signOf(bar.amount) < 0 ? 'out' : 'in'} />
                  <b class="n" data-number={`moved.${bar.group}`}>
                    {amountText(bar.amount, asset)}
                  </b>
                </button>
              </li>
            ))}
            <li class="total">
              <Name
                title={name.charAt(0).toUpperCase() + name.slice(1)}
                about={settled ? `settled ${amountText(settled, asset)}` : ''}
              />
              <Track bar={parts.total} kind="total" />
              <b class="n" data-number="moved">
                {amountText(parts.total.amount, asset)}
              </b>
            </li>
          </ul>
        )}
      </div>
    </Card>
  )
}

const Name = ({ title, about }: { readonly title: string; readonly about: string }): JSX.Element => (
  <span>
    {title} <small>{about}</small>
  </span>
)

const Track = ({ bar, kind }: { readonly bar: Bar; readonly kind: 'in' | 'out' | 'total' }): JSX.Element => (
  <span class="track" aria-hidden="true">
    <i class={kind} style={{ left: `${bar.left}%`, width: `${bar.width}%` }} />
  </span>
)

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const countText = ({ group, count }: Bar): string =>
  counted(count, group === 'Purchases' || group === 'Sales' ? 'fill' : 'posting')

/** `Where does cash of 17,117.38 come from?`, `Where do 155 AAPL come from?` */
function titleOf(amount: string | undefined): string {
  if (amount === undefined) return `Where does ${assetName()} come from?`
  return choice.value.asset === CASH
    ? `Where does ${assetName()} of ${amount} come from?`
    : `Where do ${amount} ${assetName()} come from?`
}

/** `cash`, `AAPL`, `cash of street` */
function assetName(): string {
  const { of, asset = '' } = choice.value
  const thing = asset === CASH ? 'cash' : asset
  if (of === MINE) return thing
  const owner =
    of.length === 36 ? ownerName({ ledger_account: '', account_id: of }) : ownerName({ ledger_account: of })
  return `${thing} of ${owner}`
}
