import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Icon, Logo } from './parts/icon.tsx'
import { QuestionDialog } from './parts/question.tsx'
import { Toasts } from './parts/toasts.tsx'
import { place } from './router.ts'
import { Screen } from './screens/screen.tsx'
import { screens } from './screens.table.ts'
import { account, worldName } from './session/selection.ts'
import { isAuditor, readSession, session, sessionProblem } from './session/session.ts'
import { AccountBanner } from './shell/account-banner.tsx'
import { KeyList } from './shell/key-list.tsx'
import { useShellKeys } from './shell/keys.ts'
import { Navigation, Tabs } from './shell/navigation.tsx'
import { Palette } from './shell/palette.tsx'
import { StaleBanner } from './shell/stale-banner.tsx'
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
      class={`app ${account.value?.flavour === 'live' ? 'live-money' : ''} ${isAuditor.value ? 'read-only' : ''}`}
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
