/** The credential of the client. Omit all fields for public operations. */
export type Credential =
  | { readonly keyId: string; readonly secretKey: string }
  | { readonly accessToken: string }
  | { readonly basic: { readonly id: string; readonly secret: string } }
  | Record<never, never>

export function credentialHeaders(credential: Credential): Readonly<Record<string, string>> {
  if ('secretKey' in credential)
    return { 'apca-api-key-id': credential.keyId, 'apca-api-secret-key': credential.secretKey }
  if ('accessToken' in credential) return { authorization: `Bearer ${credential.accessToken}` }
  if (!('basic' in credential)) return {}
  const bytes = new TextEncoder().encode(`${credential.basic.id}:${credential.basic.secret}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}
