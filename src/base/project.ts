/** Where the project is published. */

/**
 * `owner/name` on GitHub; null while there is no public release. Then nothing asks for a newer version by itself, and links
 * in packages lead to `relay.invalid`, a name that RFC 2606 reserves so that it never exists.
 */
export const REPOSITORY: string | null = null;
