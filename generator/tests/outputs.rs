//! What the outputs of a build say together: days, lists, and what is on offer.

#![expect(clippy::unwrap_used, reason = "a broken expectation ends the test that met it")]

mod content;

use std::fs;

use content::Content;

impl Content {
    /// With another file.
    fn and(self, file: &str, text: &str) -> Self {
        let path = self.0.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }
}

#[test]
fn a_link_to_the_skill_of_registering_leads_nowhere_where_nothing_may_be_registered_for() {
    let link = "See [how](/.well-known/agent-skills/agent-registration/SKILL.md).\n";
    let article = format!("---\ntitle: On agents\nslug: on-agents\n---\n\n{link}");
    let linking = || Content::firm().and("publications/on-agents/en.md", &article);
    assert!(linking().render().contains_key("en/publications/on-agents.html"));
    let types = "identity_types = [\"anonymous\", \"identity_assertion\"]";
    let findings = linking().with("site.toml", types, "identity_types = []").load().unwrap_err().to_text(false);
    assert!(findings.contains("agent-registration"), "{findings}");
}
