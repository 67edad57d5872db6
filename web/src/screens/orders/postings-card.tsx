import type { JSX } from 'preact'
import { quantityText } from '../../format/amounts.ts'
import { Card } from '../../parts/card.tsx'
import { Empty } from '../../parts/states.tsx'
import { hrefOf } from '../../router.ts'
import type { OrderState } from './order-state.ts'

/** What the order moved on the account. */
export function PostingsCard({ state: { postings, order } }: { readonly state: OrderState }): JSX.Element {
  const own = postings.filter(({ ledger_account }) => ledger_account.startsWith('customer:'))
  return (
    <Card
      title="Postings"
      beside={
        <a class="link right" href={hrefOf('ledger', undefined, { order: order.id })}>
          Ledger
        </a>
      }
    >
      {own.length === 0 ? (
        <Empty icon="scale" title="It moved nothing">
          A fill posts cash and shares.
        </Empty>
      ) : (
        <table>
          <thead class="hidden-text">
            <tr>
              <th>Event</th>
              <th>Asset</th>
              <th>Amount</th>
            </tr>
          </thead>
          <tbody>
            {own.map(({ number, leg, asset, amount, ledger_account }) => (
              <tr key={`${number} ${leg}`}>
                <td class="faint">{number}</td>
                <td>
                  {asset} <span class="sub">{ledger_account.split(':')[2]}</span>
                </td>
                <td class="r n">{quantityText(amount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
