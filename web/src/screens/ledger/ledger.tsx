import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { isOperator } from '../../session/session.ts'
import { BalanceTree } from './balance-tree.tsx'
import { followLedger } from './ledger-state.ts'
import { PostingsCard } from './postings-card.tsx'
import { ProofLine } from './proof-line.tsx'
import { WaterfallCard } from './waterfall-card.tsx'
import './ledger.css'

/** Balances, what they are made of, and the postings behind them. */
export default function Ledger(): JSX.Element {
  useEffect(() => followLedger(), [])
  return (
    <>
      <h1 class="hidden-text">Ledger</h1>
      {isOperator.value && <ProofLine />}
      <div class="ledger">
        <BalanceTree />
        <div class="stack">
          <WaterfallCard />
          <PostingsCard />
        </div>
      </div>
    </>
  )
}
