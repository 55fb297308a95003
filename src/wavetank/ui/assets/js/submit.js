// Manifests: pasted into the text, or dropped anywhere on the page.
import { applyText } from "./actions.js";
import { counted, el, fill, say } from "./dom.js";

const EXAMPLE = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: nginx, resources: {requests: {cpu: 500m, memory: 512Mi}}}
`;

/** The form; `shown` is called when a file was dropped, so that its tab can be opened. */
export function submitForm(shown) {
  const text = el("textarea", { id: "manifest", rows: "16", spellcheck: "false", "aria-label": "Manifests in YAML or JSON" });
  const outcome = el("ul", { class: "plain", role: "status" });
  text.value = EXAMPLE;
  const submit = async () => {
    try {
      fill(outcome, ...(await applyText(text.value)).map((line) => el("li", {}, line)));
    } catch (error) {
      fill(outcome, el("li", {}, error.message));
    }
  };
  acceptFiles((given) => {
    text.value = given;
    shown();
    submit();
  });
  return el("div", { class: "submit" }, el("p", { class: "quiet" }, "Paste manifests here, or drop a file anywhere on this page. They are applied as by kubectl apply --server-side."), text, el("div", { class: "controls" }, el("button", { type: "button", class: "primary", id: "apply", onclick: submit }, "Apply")), outcome);
}

function acceptFiles(take) {
  const body = document.body;
  const isFile = (event) => event.dataTransfer?.types.includes("Files");
  body.addEventListener("dragover", (event) => { if (isFile(event)) { event.preventDefault(); body.classList.add("dropping"); } });
  body.addEventListener("dragleave", (event) => { if (!event.relatedTarget) body.classList.remove("dropping"); });
  body.addEventListener("drop", async (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    body.classList.remove("dropping");
    const texts = await Promise.all([...event.dataTransfer.files].map((file) => file.text()));
    say(`${counted(texts.length, "file")} dropped`);
    take(texts.join("\n---\n"));
  });
}
