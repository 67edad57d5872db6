import { type Called, call } from '../../testing/server.ts'
import { authorizeQuery, Browser, PASSWORD, type PageScene, type Visit } from './pages.ts'

export const OPERATOR = '/oauth/operator'

/** The headers of a page of this server. */
export const json = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

export async function signedIn(scene: PageScene, name?: string): Promise<Browser> {
  const browser = new Browser(scene)
  await browser.signIn(authorizeQuery(scene), name)
  return browser
}

export const cookieOf = (browser: Browser) => ({
  cookie: `quipu_session=${browser.cookies.get('quipu_session') ?? ''}`,
})

export const sessionOf = (scene: PageScene, browser: Browser): Promise<Called> =>
  call(scene, 'GET /oauth/session', { headers: cookieOf(browser) })

/** Requests a token as a page of this server does. */
export async function tokenFor(
  scene: PageScene,
  browser: Browser,
  body: object,
  headers: Record<string, string> = json,
): Promise<Called> {
  const { form_token = 'none' } = (await sessionOf(scene, browser)).body
  const options = { headers: { ...cookieOf(browser), ...headers }, body: { form_token, ...body } }
  return call(scene, 'POST /oauth/session/token', options)
}

/** Raises operator rights: the operator enters the password again. */
export async function raise(browser: Browser, password = PASSWORD): Promise<Visit> {
  return browser.submit(await browser.get(OPERATOR), OPERATOR, { password, answer: 'raise' })
}

export const drop = async (browser: Browser): Promise<Visit> =>
  browser.submit(await browser.get(OPERATOR), OPERATOR, { answer: 'drop' })

export const callWith = (
  scene: PageScene,
  token: string,
  route = 'GET /v2/account',
  body?: object,
): Promise<Called> => call(scene, route, { headers: { authorization: `Bearer ${token}` }, body })
