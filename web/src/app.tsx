import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { durationText } from './format/times.ts'
import { current } from './live/current.ts'
import { Icon, Logo } from './parts/icon.tsx'
import { QuestionDialog } from './parts/question.tsx'
import { Toasts } from './parts/toasts.tsx'
import { place } from './router.ts'
import { Screen } from './screens/screen.tsx'
import { screens } from './screens.table.ts'
import { account, accounts, endedAccounts, worldName } from './session/selection.ts'
import { isAuditor, readSession, session, sessionProblem } from './session/session.ts'
import { KeyList } from './shell/key-list.tsx'
import { useShellKeys } from './shell/keys.ts'
import { CommandLater } from './shell/later.tsx'
import { Navigation, Tabs } from './shell/navigation.tsx'
import { Palette } from './shell/palette.tsx'
import { isRailed } from './shell/rail.ts'
import { TimeBar } from './shell/time-bar.tsx'
import { TopBar } from './shell/top-bar.tsx'

/** The dashboard: a frame around the current screen. */
export function App(): JSX.Element {
  if (session.value === undefined)
    return sessionProblem.value ? <Unreachable problem={sessionProblem.value} /> : <main aria-busy="true" />
  return session.value === null ? <SignedOut /> : <Frame />
}

function Frame(): JSX.Element {
  useShellKeys()
  const { screen } = place.value
  const title = screens.find(({ name }) => name === screen)?.title ?? 'Not found'
  const world = worldName.value
  useEffect(() => {
    document.title = `${title} · ${world} · Quipu`
  }, [title, world])
  return (
    <div
      class={`app ${account.value?.flavour === 'live' ? 'live-money' : ''} ${isAuditor.value ? 'read-only' : ''} ${
        isRailed.value ? 'railed' : ''
      }`}
    >
      <a class="skip-link" href="#main" onClick={skip}>
        Skip to content
      </a>
      <Navigation />
      <TopBar />
      <main id="main" tabIndex={-1}>
        <StaleBanner />
        <AccountBanner />
        <Screen />
      </main>
      <TimeBar />
      <Tabs />
      <Palette />
      <CommandLater />
      <KeyList />
      <QuestionDialog />
      <Toasts />
    </div>
  )
}

function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

const SignedOut = (): JSX.Element => (
  <main class="message-page">
    <div class="card">
      <div class="brand">
        <Logo />
        Quipu
      </div>
      <h1>Sign in</h1>
      <p class="soft">
        <code>npm start</code> and <code>quipu open</code> print a link that signs you in. With a password,
        sign in here.
      </p>
      <a class="button main big" href="oauth/sign-in">
        Sign in with a password
      </a>
      <a class="link" href="docs">
        Documentation
      </a>
    </div>
  </main>
)

const Unreachable = ({ problem }: { readonly problem: Error }): JSX.Element => (
  <main class="message-page">
    <div class="card" role="alert">
      <h1>The server does not answer</h1>
      <p class="soft">{problem.message}</p>
      <button type="button" class="button main" onClick={() => void readSession()}>
        <Icon name="plug" /> Try again
      </button>
    </div>
  </main>
)

/** What the viewer must know about the account: it is not the one of the address, was closed, or is blocked. */
function AccountBanner(): JSX.Element | null {
  const text = missingText() ?? blockedText()
  if (text === undefined) return null
  return (
    <div class="banner" role="status">
      <Icon name="warning" />
      <span>{text}</span>
    </div>
  )
}

function missingText(): string | undefined {
  const shown = account.value?.number
  const instead = shown === undefined ? '' : ` You see ${shown}.`
  const named = place.value.query.get('account')
  const ended = endedAccounts.value.find(({ number }) => named === null || number === named)
  if (ended) return `Account ${ended.number} was closed.${instead}`
  if (named === null || shown === undefined || accounts.value.some(({ number }) => number === named))
    return undefined
  return `There is no open account ${named} in this world that you may see.${instead}`
}

function blockedText(): string | undefined {
  const known = current.value?.store.account.value
  if (!known) return undefined
  const { account_blocked: isBlocked, trading_blocked: noTrading, transfers_blocked: noTransfers } = known
  if (isBlocked || (noTrading && noTransfers))
    return 'This account is blocked: orders and transfers are refused. Open orders can be canceled.'
  if (noTrading) return 'Trading is blocked: orders of this account are refused. Open orders can be canceled.'
  return noTransfers ? 'Transfers are blocked: no money or shares move in or out of this account.' : undefined
}

/** A renewed token closes the stream for a moment; only a longer break is worth a word. */
const SHOWN_AFTER_MS = 1500

/** Says since when the numbers are stale, or that none has been read yet. */
function StaleBanner(): JSX.Element | null {
  const store = current.value?.store
  const since = store?.orderStream.staleSince.value
  const age = useSignal(0)
  useEffect(() => {
    age.value = 0
    if (since === undefined) return undefined
    const timer = setInterval(() => {
      age.value = Date.now() - since
    }, 500)
    return () => clearInterval(timer)
  }, [since])
  if (since === undefined || age.value < SHOWN_AFTER_MS) return null
  return (
    <div class="banner" role="status">
      <Icon name="plug" />
      {store?.asOf.value === undefined ? (
        <span>
          <b>Waiting for the server.</b> It has sent no numbers yet. They appear when it answers.
        </span>
      ) : (
        <span>
          <b>Reconnecting.</b> The event stream broke {durationText(age.value)} ago. Numbers are as of then;
          what was missed is read when it is back.
        </span>
      )}
    </div>
  )
}
