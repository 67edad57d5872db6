import type { JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { addKeys } from '../../keyboard.ts'
import { Icon } from '../../parts/icon.tsx'
import { Empty } from '../../parts/states.tsx'
import { place } from '../../router.ts'
import { account, isAccountMissing } from '../../session/selection.ts'
import { isOperator } from '../../session/session.ts'
import { CustodyCard } from './custody-card.tsx'
import { FlowCard } from './flow-card.tsx'
import { HoldingsCard } from './holdings-card.tsx'
import { IssuersCard } from './issuers-card.tsx'
import { requests, useTokenization } from './live-requests.ts'
import { canSimulate, form, RequestForm, startMint, startRedeem } from './mint-form.tsx'
import { RequestCard } from './request-card.tsx'
import { RequestsCard } from './requests-card.tsx'
import './tokenization.css'
import { UnmatchedCard } from './unmatched-card.tsx'

/** Shares that become tokens, and tokens that become shares. */
export default function Tokenization(): JSX.Element {
  useTokenization()
  useLayoutEffect(() => {
    const remove = addKeys('Tokenization', { m: () => startMint() })
    return () => {
      remove()
      form.value = undefined
    }
  }, [])
  const isDetail = place.value.item !== undefined
  return (
    <div class={`tokenization ${isDetail ? 'with-detail' : ''}`}>
      <Head />
      {account.value && <RequestForm />}
      <FlowCard />
      <div class="cols">
        <div class="stack">
          <RequestsCard />
          {isAccountMissing.value && (
            <Empty icon="token" title="You have no account in this world">
              An operator can give you one, or you can choose another world.
            </Empty>
          )}
        </div>
        <aside class="stack" aria-label="Holdings and issuers">
          {isDetail && <RequestCard />}
          {account.value && <HoldingsCard />}
          {isOperator.value && (
            <>
              <CustodyCard />
              <IssuersCard />
              <UnmatchedCard />
            </>
          )}
        </aside>
      </div>
    </div>
  )
}

function Head(): JSX.Element {
  const waiting = requests.value.value?.filter(({ status }) => status === 'pending').length ?? 0
  return (
    <div class="page-head">
      <h1>Tokenization</h1>
      {waiting > 0 && (
        <span class="chip warn" role="status">
          <Icon name="clock" /> {waiting} waiting
        </span>
      )}
      {account.value && (
        <div class="right head-actions">
          <button data-changes type="button" class="button" onClick={startRedeem}>
            {canSimulate.value ? 'Simulate a redemption …' : 'Redeem …'}
          </button>
          <button data-changes type="button" class="button main" onClick={() => startMint()}>
            Mint … <kbd class="wide-only">m</kbd>
          </button>
        </div>
      )}
    </div>
  )
}
