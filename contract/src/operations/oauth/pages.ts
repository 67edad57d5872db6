import { operation } from '../../operation.ts'
import {
  array,
  bool,
  either,
  integer,
  lenient,
  nullable,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'

/** Parsing accepts any value, because the page shows the error. A list means that the field was repeated. */
const field = () => optional(lenient(either(text({ max: 16_384 }), array(text({ max: 16_384 })))))
const typed = (max = 16_384) => optional(lenient(text({ max })))

/** The query with which an app redirects the browser of a user. */
const authorizationRequest = {
  response_type: field().about('`code`.'),
  client_id: field(),
  redirect_uri: field().about('A registered redirect URI of the app.'),
  scope: field().about('Separated by spaces. Default: read access only.'),
  state: field().about('Returned unchanged.'),
  env: field().about('`live` or `paper`: offer only accounts of this kind.'),
  code_challenge: field(),
  code_challenge_method: field().about('`S256`.'),
}

const csrf = typed(128).about('Token from the form of the page.')
const request = typed().about('Authorization request of the app, as a query string.')

const shared = { family: 'oauth', who: ['anyone'], scope: 'never' } as const
const page = { ...shared, raw: 'text/html; charset=utf-8' } as const
const form = { ...page, bodyKind: 'form' } as const

export const oauthPages = {
  showAuthorizePage: operation('GET /oauth/authorize', page, {
    summary: 'Show the consent page for an app. The app redirects the browser here.',
    query: record(authorizationRequest),
  }),
  submitAuthorizePage: operation('POST /oauth/authorize', form, {
    summary: 'Submit the decision of the user. Redirects to the app with a code or an error.',
    body: record({
      csrf,
      request,
      answer: optional(lenient(oneOf('allow', 'deny'))),
      live: typed(64).about('Selected live account.'),
      paper: typed(64).about('Selected paper account.'),
    }).named('AuthorizeAnswer'),
  }),
  showSignInPage: operation('GET /oauth/sign-in', page, {
    summary: 'Show the sign-in page, also for one-time sign-in links.',
    query: record({ request, once: typed(128).about('Token of a one-time sign-in link.') }),
  }),
  signIn: operation('POST /oauth/sign-in', form, {
    summary: 'Sign in from the page and set the session cookie.',
    body: record({
      csrf,
      request,
      name: typed(128),
      password: typed(1024),
      once: typed(128),
    }).named('SignIn'),
  }),
  signOut: operation('POST /oauth/sign-out', form, {
    summary: 'End the browser session with all its tokens.',
    body: record({ csrf, request }).named('SignOut'),
  }),
  showAppsPage: operation('GET /oauth/apps', page, {
    summary: 'Show the page of apps that may act for the signed-in user.',
    query: record({ withdrawn: typed(128).about('Client id of the app whose consent was just withdrawn.') }),
  }),
  withdrawApp: operation('POST /oauth/apps', form, {
    summary: 'Withdraw the consent of the signed-in user to an app.',
    body: record({ csrf, client_id: typed(128) }).named('WithdrawApp'),
  }),
  showOperatorPage: operation('GET /oauth/operator', page, {
    summary: 'Show the page of operator rights of the session.',
  }),
  changeOperatorRights: operation('POST /oauth/operator', form, {
    summary:
      'Raise the rights of an operator or auditor in this session for one hour, with the password, or drop them.',
    body: record({
      csrf,
      answer: optional(lenient(oneOf('raise', 'drop'))),
      password: typed(1024),
    }).named('OperatorRights'),
  }),
  showSecondFactorPage: operation('GET /oauth/second-factor', page, {
    summary: 'Show the page that asks for the second factor after the password.',
    query: record({ request }),
  }),
  confirmSecondFactor: operation('POST /oauth/second-factor', form, {
    summary: 'Confirm the session with a code of an authenticator app, or with a passkey.',
    body: record({
      csrf,
      request,
      // `code` would name the code of an app, which selects a world.
      passcode: typed(32).about('Code of the authenticator app.'),
      challenge: typed().about('Challenge from the form of the page.'),
      passkey: typed().about('Signature of the passkey: the JSON of WebAuthn.'),
    }).named('SecondFactor'),
  }),
  showFactorsPage: operation('GET /oauth/factors', page, {
    summary:
      'Show the second factors of the signed-in user. Who must have one adds it here after the password.',
    query: record({ request }),
  }),
  changeFactors: operation('POST /oauth/factors', form, {
    summary: 'Add or remove an authenticator app or a passkey of the signed-in user.',
    body: record({
      csrf,
      request,
      answer: optional(lenient(oneOf('new-app', 'add-app', 'add-passkey', 'remove'))),
      secret: typed().about('Encrypted secret of the new app, from the form of the page.'),
      passcode: typed(32).about('First code of the new app.'),
      name: typed(64).about('Name of the new passkey.'),
      challenge: typed().about('Challenge from the form of the page.'),
      passkey: typed().about('The new passkey: the JSON of WebAuthn.'),
      factor: typed(64).about('Factor to remove: `app`, or the id of a passkey.'),
    }).named('FactorsChange'),
  }),
  getBrowserSession: operation('GET /oauth/session', shared, {
    family: 'system',
    summary: 'Get the user who is signed in at this browser.',
    output: record({
      user_id: uuid(),
      name: text(),
      operator: bool().about('The user is an operator. The rights must be raised before they apply.'),
      auditor: bool().about('The user is an auditor, who reads every world. The same applies.'),
      operator_until: nullable(timestamp()).about(
        'End of the raised rights of the operator or auditor. null: not raised.',
      ),
      form_token: text().about('Required by POST /oauth/session/token.'),
      api_url: text().about(
        'Address of the API for programs. Many of them cannot resolve the host name of the pages.',
      ),
      world: text(),
      expires_at: timestamp(),
      accounts: array(record({ id: uuid(), account_number: text(), flavour: oneOf('live', 'paper') })),
    }).named('BrowserSession'),
    errors: ['unauthorized'],
  }),
  issueSessionToken: operation('POST /oauth/session/token', shared, {
    family: 'system',
    summary: 'Issue a short-lived token to a page of this server, for one account or for operator rights.',
    body: record({
      form_token: text({ min: 1, max: 128 }).about('From `GET /oauth/session`.'),
      account_id: optional(uuid()),
      operator: optional(bool()).about('A token for all worlds. That of an auditor is read-only.'),
      world: optional(text({ min: 1, max: 64 })).about(
        'World of the account or of the operator token. Needs raised operator rights. Default: the world of the session.',
      ),
      read_only: optional(bool()).about('The token allows only GET.'),
    })
      .named('SessionTokenRequest')
      .refine(({ account_id, operator }) =>
        (account_id !== undefined) === (operator === true)
          ? { field: 'account_id', message: 'expected either account_id, or operator: true' }
          : undefined,
      ),
    output: record({
      access_token: text(),
      token_type: oneOf('Bearer'),
      expires_in: integer(),
    }).named('SessionToken'),
    errors: [
      'unauthorized',
      'forbidden',
      'operatorRightsNotRaised',
      'worldNotFound',
      'accountNotFound',
      'invalidParameter',
      'unsupportedMediaType',
    ],
  }),
}
