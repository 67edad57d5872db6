import type { Output } from '@quipu/sdk'
import type { JSX } from 'preact'
import { quantityText } from '../../format/amounts.ts'
import {
  add,
  compare,
  type Decimal,
  decimal,
  multiply,
  numberOf,
  subtract,
  sum,
} from '../../format/decimal.ts'
import { Quantity } from '../../parts/amounts.tsx'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { custody } from './live-requests.ts'

type Custody = Output<'readAudit'>['tokenization'][number]

/** Shares that issuers keep, beside the tokens that they back. */
export const CustodyCard = (): JSX.Element => (
  <Card title="Custody and supply">
    <Shown of={custody} what="custody" rows={3}>
      {(all) =>
        all.length === 0 ? (
          <Empty icon="scale" title="Nothing in custody">
            The shares of a mint appear here, beside the tokens that they back.
          </Empty>
        ) : (
          <div class="body">
            {all.map((one) => (
              <Pair key={`${one.issuer} ${one.underlying_symbol}`} of={one} largest={largestOf(all)} />
            ))}
          </div>
        )
      }
    </Shown>
  </Card>
)

const largestOf = (all: readonly Custody[]): number =>
  Math.max(...all.flatMap((one) => [numberOf(decimal(one.custody)), numberOf(tokensOf(one))]), 0)

const tokensOf = ({ tokens, in_flight: inFlight }: Custody): Decimal =>
  add(sum(Object.values(tokens).map(decimal)), decimal(inFlight))

/** Custody is tokens times shares per token, rounded down once to a billionth. */
function isEqual(of: Custody): boolean {
  const [shares = '1', perTokens = '1'] = of.multiplier.split('/')
  const missing = subtract(
    multiply(tokensOf(of), decimal(shares)),
    multiply(decimal(of.custody), decimal(perTokens)),
  )
  const step = multiply({ units: 1n, places: 9 }, decimal(perTokens))
  return missing.units >= 0n && compare(missing, step) < 0
}

function Pair({ of, largest }: { readonly of: Custody; readonly largest: number }): JSX.Element {
  const width = (amount: string) => ({
    width: `${largest === 0 ? 0 : (numberOf(decimal(amount)) / largest) * 100}%`,
  })
  const networks = Object.entries(of.tokens).filter(([, amount]) => decimal(amount).units !== 0n)
  const isMoving = decimal(of.in_flight).units !== 0n
  const words = networks.map(([network, amount]) => `${quantityText(amount)} ${network}`)
  if (isMoving) words.push(`${quantityText(of.in_flight)} in flight`)
  return (
    <div class="custody">
      <div class="custody-head">
        <b>{of.underlying_symbol}</b>
        <span class="faint">{of.issuer}</span>
        {of.multiplier !== '1/1' && <span class="faint small">{of.multiplier} shares per token</span>}
        {isEqual(of) ? (
          <span class="chip up right">
            <Icon name="check" /> equal
          </span>
        ) : (
          <span class="chip wrong right">
            <Icon name="warning" /> not equal
          </span>
        )}
      </div>
      <div class="custody-row">
        <span>Shares in custody</span>
        <span class="custody-bar" aria-hidden="true">
          <i style={width(of.custody)} />
        </span>
        <b>
          <Quantity value={of.custody} />
        </b>
      </div>
      <div class="custody-row">
        <span>Tokens</span>
        <span class="custody-bar" aria-hidden="true">
          {networks.map(([network, amount]) => (
            <i key={network} class="tokens" style={width(amount)} />
          ))}
          {isMoving && <i class="moving" style={width(of.in_flight)} />}
        </span>
        <span class="n">{words.join(', ') || '0'}</span>
      </div>
    </div>
  )
}
