// What clients have written, and the way back: to just before any of it.
import { request } from "./connection.js";
import { button, el, fill, say } from "./dom.js";

export class History {
  constructor() {
    this.rows = el("div", { class: "rows" });
    this.note = el("p", { class: "quiet" });
    this.element = el("div", {}, this.note, this.rows);
  }

  async refresh() {
    try {
      this.show(await request("GET", "/ui/api/writes"));
    } catch (error) {
      this.note.textContent = error.message;
    }
  }

  show({ barrier, writes }) {
    const how = "The cluster goes back to just before a write: it is built again, and all earlier writes are repeated. The clock is paused then.";
    this.note.textContent = barrier ? `This session cannot go back: ${barrier}.` : writes.length ? how : "No client has written anything yet.";
    fill(this.rows, ...writes.map(([number, time, title]) => {
      const when = new Date(time * 1000).toISOString().slice(11, 19);
      return el("div", { class: "row" }, el("div", { class: "bar" }, el("small", {}, when), el("b", {}, title), el("span", { class: "spread" }), barrier ? null : button("Go back", () => this.rewind(number, title), { "aria-label": `Go back to before: ${title}, ${when}` })));
    }));
  }

  /** Goes back to before the last write. */
  async undo() {
    const { barrier, writes } = await request("GET", "/ui/api/writes");
    if (barrier) say(`This session cannot go back: ${barrier}.`);
    else if (!writes.length) say("No client has written anything yet.");
    else await this.rewind(writes[0][0], writes[0][2]);
  }

  async rewind(number, title) {
    say(`Going back to before: ${title} …`);
    try {
      await request("POST", `/ui/api/rewind?to=${number}`);
      say(`This is the cluster before: ${title}. The clock is paused.`);
      await this.refresh();
    } catch (error) {
      say(error.message);
    }
  }
}
