//! The skills for agents: what they are about and where they are.

use contract::routes;
use site::Agents;

use super::shared::Shared;

/// A skill: instructions for agents.
pub(super) struct AgentSkill {
    pub(super) path: &'static str,
    pub(super) template: &'static str,
    pub(super) description: String,
}

impl AgentSkill {
    /// Returns its name, which is that of its folder.
    pub(super) fn name(&self) -> &'static str {
        self.path.rsplit('/').nth(1).unwrap_or_default()
    }
}

/// Returns the skills; that of registering only if agents can register.
pub(super) fn skills(shared: &Shared, agents: &Agents) -> Vec<AgentSkill> {
    let name = &shared.site.settings.firm.name[shared.locale];
    let content =
        format!("Read the public content of {name}: practice areas, people, publications and contact details.");
    let mut skills =
        vec![AgentSkill { path: routes::CONTENT_SKILL, template: "agents/content-skill.md", description: content }];
    if agents.register() {
        let registration = format!("Register an agent with {name}, have a user claim it, and use its credential.");
        skills.push(AgentSkill {
            path: routes::REGISTRATION_SKILL,
            template: "agents/registration-skill.md",
            description: registration,
        });
    }
    skills
}
