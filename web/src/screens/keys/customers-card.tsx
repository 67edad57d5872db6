import type { JSX } from 'preact'
import { isStale } from '../../live/current.ts'
import { Money } from '../../parts/amounts.tsx'
import { Card } from '../../parts/card.tsx'
import { Shown } from '../../parts/shown.tsx'
import { Empty } from '../../parts/states.tsx'
import { VirtualRows } from '../../parts/virtual-rows.tsx'
import { hrefOf } from '../../router.ts'
import { accounts } from '../../session/selection.ts'
import { CUSTOMERS_STEP, type Customer, customerLimit, customerSearch, customers } from './readings.ts'

const LIMIT_MAX = 1000

/** The accounts of the world with status and balances: the customers of its partners. */
export function CustomersCard(): JSX.Element {
  return (
    <Card
      title="Accounts"
      beside={
        <input
          type="search"
          class="input right customer-search"
          aria-label="Search accounts"
          placeholder="Number or name"
          value={customerSearch.value}
          onInput={({ currentTarget }) => {
            customerSearch.value = currentTarget.value
            customerLimit.value = CUSTOMERS_STEP
            void customers.read()
          }}
        />
      }
    >
      <Shown of={customers} what="the accounts">
        {(list) =>
          list.length === 0 ? (
            <Empty icon="search" title={customerSearch.value === '' ? 'No accounts' : 'No account found'}>
              Words are searched in the account number, the name and other details.
            </Empty>
          ) : (
            <VirtualRows
              class="customers"
              label="Accounts of the world"
              items={list}
              onEnd={() => showMore(list.length)}
              head={
                <tr>
                  <th>Account</th>
                  <th class="wide-only">Name</th>
                  <th>Status</th>
                  <th class="r wide-only">Cash</th>
                  <th class="r">Equity</th>
                  <th class="r wide-only">Buying power</th>
                  <th class="r wide-only">Positions</th>
                </tr>
              }
              row={(customer) => <Row key={customer.id} of={customer} />}
            />
          )
        }
      </Shown>
    </Card>
  )
}

function showMore(shown: number): void {
  if (shown < customerLimit.peek() || shown >= LIMIT_MAX) return
  customerLimit.value = Math.min(shown + CUSTOMERS_STEP, LIMIT_MAX)
  void customers.read()
}

function Row({ of }: { readonly of: Customer }): JSX.Element {
  const isActive = of.status === 'ACTIVE'
  const isOwn = accounts.value.some(({ id }) => id === of.id)
  return (
    <tr data-row tabIndex={-1}>
      <td>
        {isOwn ? (
          <a class="link" href={hrefOf('workspace', undefined, { account: of.account_number })}>
            {of.account_number}
          </a>
        ) : (
          of.account_number
        )}
        {of.flavour === 'live' && <span class="chip wrong person-chip">Live</span>}
      </td>
      <td class="wide-only cut">{of.name}</td>
      <td>
        <span class={`status ${isActive ? 'filled' : 'held'}`} title={of.status}>
          {isActive ? 'Active' : wordsOf(of.status)}
        </span>
      </td>
      <td class="r wide-only">
        <Money value={of.cash} stale={isStale()} of={`customer.${of.id}.cash`} />
      </td>
      <td class="r">
        <Money value={of.equity} stale={isStale()} of={`customer.${of.id}.equity`} />
      </td>
      <td class="r wide-only">
        <Money value={of.buying_power} stale={isStale()} of={`customer.${of.id}.buying_power`} />
      </td>
      <td class="r n wide-only" data-number={`customer.${of.id}.positions`}>
        {of.positions}
      </td>
    </tr>
  )
}

/** `ACCOUNT_CLOSED` as `Account closed`. */
const wordsOf = (status: string): string =>
  status.charAt(0) + status.slice(1).toLowerCase().replaceAll('_', ' ')
