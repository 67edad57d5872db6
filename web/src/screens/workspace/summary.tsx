import type { ComponentChildren, JSX } from 'preact'
import { gainText, moneyText, percentText, quantityText } from '../../format/amounts.ts'
import { type Decimal, decimal, percentOf, signOf, subtract } from '../../format/decimal.ts'
import { current, isStale } from '../../live/current.ts'
import { Gain, Money } from '../../parts/amounts.tsx'
import { LoadingNumber } from '../../parts/states.tsx'
import { hrefOf } from '../../router.ts'
import type { Figure } from '../../story/amount-lines.ts'
import { Story } from '../../story/story.tsx'
import { EquityButton } from './equity-button.tsx'
import { ranges, useHistory } from './equity-history.ts'
import { LayoutMenu } from './layout-menu.tsx'
import { liveEquity } from './live-values.ts'

/** The account in one row. Cash, long and short together are equity. */
export function Summary(): JSX.Element {
  useHistory(ranges['1D'])
  const account = current.value?.store.account.value
  const parts = liveEquity.value
  return (
    <section class="summary-row" aria-label="Account">
      <div class="summary">
        <div>
          <h2 class="small">Equity</h2>
          <Amount
            story="equity"
            of="account.equity"
            value={parts?.equity}
            href={hrefOf('ledger')}
            class="equity"
          />
        </div>
        <Today />
        <EquityButton />
        <Stat title="Buying power">
          <Amount
            story="buyingPower"
            of="account.buying_power"
            value={account?.buying_power}
            href={hrefOf('ledger')}
          />
        </Stat>
        <Stat title="Cash">
          <Amount
            story="cash"
            of="account.cash"
            value={parts?.cash}
            href={hrefOf('ledger', undefined, { asset: 'USD' })}
          />
        </Stat>
        <Stat title="Long" class="part wide-only">
          <Amount story="long" of="account.long_market_value" value={parts?.long} />
        </Stat>
        <Stat title="Short" class="part wide-only">
          <Amount story="short" of="account.short_market_value" value={parts?.short} />
        </Stat>
        <Stat title="Margin in use" class="margin wide-only">
          <MarginInUse />
        </Stat>
        <LayoutMenu />
      </div>
    </section>
  )
}

const Stat = ({
  title,
  class: extra = '',
  children,
}: {
  readonly title: string
  readonly class?: string
  readonly children: ComponentChildren
}): JSX.Element => (
  <div class={extra}>
    <h2 class="small">{title}</h2>
    {children}
  </div>
)

type AmountProps = {
  readonly story: Figure
  /** Its path in the account snapshot. */
  readonly of: string
  readonly value: string | Decimal | null | undefined
  readonly href?: string
  readonly class?: string
}

function Amount({ story, of, value, href, class: extra = '' }: AmountProps): JSX.Element {
  const stale = isStale()
  if (value == null)
    return (
      <span class={`amount ${extra}`}>
        <LoadingNumber />
      </span>
    )
  const shown = <Money value={value} stale={stale} of={of} />
  return (
    <Story subject={{ figure: story }} hasFocus={href !== undefined}>
      {href === undefined ? (
        <span class={`amount ${extra}`}>{shown}</span>
      ) : (
        <a class={`amount source ${extra}`} href={href}>
          {shown}
        </a>
      )}
    </Story>
  )
}

/** The change today. Transfers are no gain, so they are shown apart. */
function Today(): JSX.Element {
  const store = current.value?.store
  const [account, equity, today] = [store?.account.value, liveEquity.value?.equity, store?.gainToday.value]
  if (!account || !equity || today === undefined)
    return (
      <div class="today">
        <LoadingNumber width="8rem" />
      </div>
    )
  const last = decimal(account.last_equity)
  const gain = decimal(today)
  const transferred = subtract(subtract(equity, last), gain)
  const percent = percentOf(gain, last)
  const sign = signOf(gain)
  const moved = signOf(transferred) !== 0
  const stale = isStale()
  return (
    <div class="today">
      <span
        class={`chip ${stale || sign === 0 ? '' : sign > 0 ? 'up' : 'down'}`}
        title={`Since the last close, ${moneyText(last)}${moved ? `. Transferred today: ${gainText(transferred)}` : ''}`}
      >
        <span aria-hidden="true">{sign > 0 ? '▲' : sign < 0 ? '▼' : ''}</span>
        <Gain value={gain} stale={stale} of="gain_today" />{' '}
        {percent && (
          <span class={stale ? 'stale' : ''} data-number="gain_today.percent">
            {percentText(percent)}
          </span>
        )}
        <span class="hidden-text">today</span>
      </span>
      {moved && (
        <span class="faint wide-only">
          transferred <Gain value={transferred} stale={stale} of="transferred_today" />
        </span>
      )}
    </div>
  )
}

/** Initial margin as a share of equity. */
function MarginInUse(): JSX.Element {
  const margin = current.value?.store.account.value?.initial_margin
  const equity = liveEquity.value?.equity
  if (margin == null || !equity) return <LoadingNumber width="3rem" />
  const percent = percentOf(decimal(margin), equity, 0)
  return (
    <Story subject={{ figure: 'margin' }}>
      <span class={`amount n ${isStale() ? 'stale' : ''}`} data-number="margin_in_use">
        {percent ? quantityText(percent) : 0} %
      </span>
    </Story>
  )
}
