import type { JSX } from 'preact'
import { hrefOf, place } from '../../router.ts'
import { ListCard } from './list-card.tsx'
import { OrderDetail } from './order-detail.tsx'
import './orders.css'

/** All orders, and the story of one of them. */
export default function Orders(): JSX.Element {
  const isDetail = place.value.item !== undefined
  return (
    <div class={`orders ${isDetail ? 'with-detail' : ''}`}>
      {!isDetail && <h1 class="hidden-text">Orders</h1>}
      <ListCard />
      {isDetail && (
        <div class="stack">
          <a class="link phone-only" href={hrefOf('orders')}>
            All orders
          </a>
          <OrderDetail />
        </div>
      )}
    </div>
  )
}
