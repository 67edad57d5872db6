import { errorAttributes, type FormParts, fieldError, hiddenFields, type Mistake, summary } from './forms.ts'
import { html } from './html.ts'
import { type Sheet, sheet } from './sheet.ts'

export type SignInContent = FormParts & {
  /** The app that the user continues to. */
  readonly appName?: string | undefined
  /** The redirect URI of that app; the form may redirect there. */
  readonly redirectUri?: string | undefined
  readonly world: string | undefined
  readonly name?: string | undefined
  readonly mistakes?: readonly Mistake[] | undefined
}

/** The sign-in form with name and password. */
export function signInPage(content: SignInContent): Sheet {
  const { appName, mistakes = [], name = '' } = content
  return sheet({
    title: appName === undefined ? 'Sign in' : `Sign in to go on to ${appName}`,
    status: mistakes.length > 0 ? 400 : 200,
    world: content.world,
    redirectsTo: content.redirectUri,
    main: html`${summary(mistakes, false)}
<h1>Sign in</h1>
${
  appName === undefined
    ? html`<p class="soft">to see which apps may act for you.</p>`
    : html`<p class="soft">to go on to <b><bdi>${appName}</bdi></b>. It does not see your password, and you are asked before it may do anything.</p>`
}
<form method="post" action="sign-in">
${hiddenFields(content)}
<label class="of" for="name">Name</label>
<input class="text" id="name" name="name" value="${name}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="128" required${mistakes.length === 0 && html` autofocus`}${errorAttributes('name', mistakes)}>
${fieldError('name', mistakes)}
<label class="of" for="password">Password</label>
<input class="text" id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required${mistakes.length > 0 && html` autofocus`}${errorAttributes('password', mistakes)}>
${fieldError('password', mistakes)}
<button class="main">Sign in</button>
</form>`,
  })
}

/** A link signs in only when the button is pressed, so that a link preview does not use it up. */
export function signInLinkPage(content: {
  readonly csrf: string
  readonly once: string
  readonly user: string
  readonly world: string | undefined
}): Sheet {
  return sheet({
    title: `Sign in as ${content.user}`,
    world: content.world,
    main: html`<h1>Sign in as <bdi>${content.user}</bdi></h1>
<p class="soft">This link signs you in without a password. It works once.</p>
<form method="post" action="sign-in">
${hiddenFields({ csrf: content.csrf })}
<input type="hidden" name="once" value="${content.once}">
<button class="main" autofocus>Sign in as <bdi>${content.user}</bdi></button>
</form>`,
  })
}
