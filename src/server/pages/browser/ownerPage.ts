/** What the parts of the script of the owner's page share. */
export interface OwnerPage {
  /** Makes a call, says how it ended, and shows the cards again. False if it failed or is under way already. */
  act(call: string, given: object, button?: HTMLElement): Promise<boolean>;
  /** Does some work like a call. */
  work(name: string, work: () => Promise<Record<string, unknown>>, button?: HTMLElement): Promise<boolean>;
  tell(text: string, isBad?: boolean): void;
  /** Sends a request with the proof and the name of this page. */
  headers(): Record<string, string>;
  /** How commands begin here. */
  program: string;
  /** The button that asks whether it was meant; its card stays as it is. */
  armed: HTMLElement | null;
}
