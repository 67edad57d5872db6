import type { Output } from '@quipu/sdk'
import type { JSX } from 'preact'
import { Card } from '../../parts/card.tsx'
import { Copy } from '../../parts/copy.tsx'
import { account } from '../../session/selection.ts'
import { accountRequests } from './live-requests.ts'

type Token = Output<'getTokenizationTokens'>[number]
type Props = { readonly of: readonly Token[]; readonly close: () => void }

/** How an account redeems: not with a request, but by sending tokens on their chain. */
export const RedeemGuide = ({ of, close }: Props): JSX.Element => {
  const minted = new Set(
    accountRequests.value.value?.map(({ token_symbol: token, network }) => `${token} ${network}`),
  )
  const known = of.filter(({ token_symbol: token, network }) => minted.has(`${token} ${network}`))
  const wallets = known.filter(({ redemption_wallet: wallet }) => wallet !== null)
  return (
    <Card
      title="How to redeem"
      beside={
        <button type="button" class="link right" onClick={close}>
          Close
        </button>
      }
    >
      <div class="body stack redeem-guide">
        <ol>
          <li>
            Send the tokens, from a wallet that a mint of account {account.value?.number} used, to the wallet
            below.
          </li>
          <li>The issuer sees the transfer and asks for the shares. The request then appears in the list.</li>
          <li>The shares return to the account when the request is completed.</li>
        </ol>
        {wallets.map((token) => (
          <Wallet key={`${token.issuer} ${token.token_symbol} ${token.network}`} of={token} />
        ))}
        {wallets.length === 0 && <NoWallet hasTokens={known.length > 0} />}
      </div>
    </Card>
  )
}

function Wallet({ of }: { readonly of: Token }): JSX.Element {
  const { token_symbol: token, network, redemption_wallet: wallet, contract_address: contract } = of
  return (
    <p>
      <b>{token}</b> on {network}:{' '}
      <Copy text={wallet ?? ''} class="link mono id">
        {wallet}
      </Copy>
      {contract !== null && (
        <>
          {' '}
          <span class="faint">contract</span>{' '}
          <Copy text={contract} class="link mono id">
            {contract.slice(0, 10)}
          </Copy>
        </>
      )}
    </p>
  )
}

const NoWallet = ({ hasTokens }: { readonly hasTokens: boolean }): JSX.Element => (
  <p>
    {hasTokens
      ? 'The chain of your tokens is simulated, so there is no wallet to send to. An operator simulates the transfer on this screen, or with'
      : 'You have no tokens yet: mint first. On a simulated chain, an operator simulates the transfer with'}{' '}
    <code>POST /sim/v1/worlds/{'{world}'}/tokenization/redemptions</code>.
  </p>
)
