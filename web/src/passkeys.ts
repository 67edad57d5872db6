import { startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser'

/**
 * The script of the sign-in pages that ask for a passkey. The server wrote the options into the form; the browser's response
 * goes back with the form. The script sends nothing by itself.
 */
for (const field of document.querySelectorAll<HTMLInputElement>('input[data-passkey]')) prepare(field)

function prepare(field: HTMLInputElement): void {
  const form = field.form
  const button = form?.querySelector('button')
  const problem = form?.querySelector<HTMLElement>('[data-passkey-problem]')
  if (!form || !button || !problem) return
  button.disabled = false
  form.addEventListener('submit', async (event) => {
    if (field.value !== '') return
    event.preventDefault()
    button.disabled = true
    problem.hidden = true
    try {
      field.value = JSON.stringify(await responseOf(field))
      form.submit()
    } catch (error) {
      problem.textContent = textOf(error)
      problem.hidden = false
      button.disabled = false
    }
  })
}

function responseOf({ dataset: { passkey, options = '{}' } }: HTMLInputElement): Promise<object> {
  const optionsJSON = JSON.parse(options)
  return passkey === 'create' ? startRegistration({ optionsJSON }) : startAuthentication({ optionsJSON })
}

function textOf(error: unknown): string {
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return 'This passkey is in your list.'
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError')
    return 'No passkey was chosen, or it took too long. Try again.'
  return 'The browser could not use a passkey. Try again, or use another browser.'
}
