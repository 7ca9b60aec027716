/** Where signatures are not tested: the secret itself is the signature, and is compared. */
export function openSecret(word: string) {
  return { sign: () => word, verifies: (_: string, signature: string) => signature === word }
}
