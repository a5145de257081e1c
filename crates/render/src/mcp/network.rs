//! The associated firms by country: the data of their page.

use contract::mcp::{AssociatedFirm, GlobalNetwork, NetworkCountry};
use site::{NetworkFirm, PageKind};

use crate::{RenderError, Theme, api, shared::Shared};

pub(super) fn network(shared: &Shared, theme: &Theme) -> Result<GlobalNetwork, RenderError> {
    // Without a network the list is empty, and the address is that of the home page.
    let document = shared.page(PageKind::GlobalNetwork).unwrap_or_else(|| shared.home());
    let firm = |firm: &NetworkFirm| {
        let relation = theme.word(shared.locale, &format!("network/relation/{}", firm.relation.as_str()))?;
        Ok(AssociatedFirm {
            name: firm.name.clone(),
            city: firm.city.clone(),
            relation: firm.relation,
            relation_name: relation,
            network: firm.network.clone(),
            url: firm.url.clone(),
            note: Some(shared.note_twin(firm)).filter(|note| !note.is_empty()),
        })
    };
    let by_country = shared.content.network.chunk_by(|one, other| one.country == other.country);
    let countries = by_country.map(|firms| {
        Ok(NetworkCountry {
            code: firms[0].country.clone(),
            name: firms[0].country_name.clone(),
            firms: firms.iter().map(firm).collect::<Result<_, RenderError>>()?,
        })
    });
    Ok(GlobalNetwork {
        firm: shared.site.settings.firm.name[shared.locale].clone(),
        locale: shared.locale,
        url: api::url(shared, &document.path)?,
        count: shared.content.network.len() as u64,
        countries: countries.collect::<Result<_, RenderError>>()?,
    })
}
